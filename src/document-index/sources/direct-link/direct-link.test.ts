import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestSources } from '../../../../test/testkit/sources/open-test-sources.ts';
import { startWebServer, type WebServer } from '../../../../test/testkit/sources/web-server.ts';

const article = `<!doctype html><meta charset="windows-1251"><title>Станция</title><ul>${'<li><a href="/">Меню</a>'.repeat(20)}</ul>
<div><p>Вот <a href="">эта страница</a> о насосе.</p>${'<p>Насос НЦ-40 подаёт воду в котёл.</p>'.repeat(20)}</div>`;
const in1251 = Buffer.from(
  Array.from(article, (letter) => {
    const code = letter.charCodeAt(0);
    return code >= 0x410 && code <= 0x44f ? code - 0x410 + 0xc0 : code === 0x451 ? 0xb8 : code;
  }),
);

const site: RequestListener = (request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://site');
  const send = (headers: Record<string, string>, body: string | Buffer, status = 200) =>
    response.writeHead(status, headers).end(body);
  switch (decodeURI(pathname)) {
    case '/Договор.pdf':
      return send({ 'content-type': 'application/pdf', etag: '"1"', 'content-length': '12' }, '%PDF-1.7 abc');
    case '/get':
      return send(
        {
          'content-type': 'application/octet-stream',
          'content-disposition': "attachment; filename*=UTF-8''%D0%9F%D0%BB%D0%B0%D0%BD.txt",
        },
        'план работ',
      );
    case '/short':
      return response.writeHead(302, { location: encodeURI('/Договор.pdf') }).end();
    case '/article':
      return send({ 'content-type': 'text/html' }, in1251);
    case '/login.pdf':
    case '/private':
      return send({ 'content-type': 'text/html' }, '<html><title>Вход</title><input type=password></html>');
    case '/error':
      return send(
        { 'content-type': 'text/html' },
        '<html><title>Страница не найдена</title><p>Нет такой</html>',
      );
    case '/fake.docx':
      return send({ 'content-type': 'application/json' }, '{"error":"no"}');
    default:
      return send({}, 'gone', 404);
  }
};

let server: WebServer;
let kit: ReturnType<typeof openTestSources>;

beforeAll(async () => {
  server = await startWebServer(site);
  kit = openTestSources({ allow: [server.entry] });
});
afterAll(async () => {
  await kit.close();
  await server.close();
});

const link = (path: string) => ({ type: 'direct_link' as const, url: server.url + path });
const list = (path: string) => kit.list(link(path));
const fetchFile = async (path: string, limit?: number) => kit.fetch(link(path), (await list(path))[0], limit);

describe('direct_link', () => {
  it('lists a file with its name, size and version, and fetches it', async () => {
    const path = encodeURI('/Договор.pdf?from=mail');
    await expect(list(path)).resolves.toEqual([
      {
        id: server.url + path,
        url: server.url + path,
        version: '"1"',
        name: 'Договор.pdf',
        size: 12,
        path: [],
      },
    ]);
    await expect(fetchFile(path)).resolves.toMatchObject({
      name: 'Договор.pdf',
      type: 'application/pdf',
      text: '%PDF-1.7 abc',
    });
  });

  it('takes the name from the header, and after redirects', async () => {
    await expect(fetchFile('/get')).resolves.toMatchObject({ name: 'План.txt', text: 'план работ' });
    await expect(fetchFile('/short')).resolves.toMatchObject({ name: 'Договор.pdf' });
  });

  it('reads a page as an article in UTF-8', async () => {
    const file = await fetchFile('/article?token=hunter2');
    expect(file.text).not.toContain('hunter2');
    expect(file).toMatchObject({ name: 'article', type: 'text/html; charset=utf-8' });
    expect(file.text).toContain('Насос НЦ-40 подаёт воду');
    expect(file.text).not.toContain('Меню');
  });

  it('refuses login pages, error pages and other files than promised', async () => {
    await expect(fetchFile('/login.pdf')).rejects.toThrow(/a page instead of the file login.pdf/);
    await expect(fetchFile('/private')).rejects.toThrow(/login page/);
    await expect(fetchFile('/error')).rejects.toThrow(/error page/);
    await expect(fetchFile('/fake.docx')).rejects.toThrow(/something else than the file/);
    await expect(fetchFile(encodeURI('/Договор.pdf'), 5)).rejects.toMatchObject({ status: 413 });
  });

  it('lists what is gone or forbidden with the reason', async () => {
    await expect(list('/nothing.pdf')).resolves.toMatchObject([
      { name: 'nothing.pdf', gone: true, problem: expect.stringContaining('nothing at this address') },
    ]);
    const inner = { type: 'direct_link' as const, url: 'http://169.254.169.254/' };
    const items = await kit.list(inner);
    expect(items).toMatchObject([{ problem: expect.stringContaining('outgoing.allow') }]);
  });
});

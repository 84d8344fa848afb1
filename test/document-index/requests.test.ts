import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fields,
  form,
  type IndexPlatform,
  openIndexPlatform,
} from '../testkit/document-index/index-platform.ts';
import { until } from '../testkit/until.ts';

let index: IndexPlatform;
let now = Date.now();
beforeAll(async () => {
  index = await openIndexPlatform({
    index: { max_size: 200_000, max_files: 200, max_documents: 300 },
    clock: { now: () => now } as never,
  });
});
afterAll(() => index?.close());

const call = (...input: Parameters<IndexPlatform['call']>) => index.call(...input);
const put = (bot: string, ...input: Parameters<typeof form>) =>
  index.done(bot, call('PUT', `/bot/${bot}`, form(...input)));

describe('names', () => {
  it.each([
    ['he said "no" 🙂.txt', 'he said "no" 🙂.txt'],
    ['Договор № 5 (финал).txt', 'Договор № 5 (финал).txt'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\план.txt', 'план.txt'],
    ['constructor', 'constructor'],
    ['__proto__', '__proto__'],
    ['a%2Fb c%20d.txt', 'b c d.txt'],
    ['50% off?.txt', '50% off?.txt'],
    ["o'neill; drop table bots.txt", "o'neill; drop table bots.txt"],
    [`${'ё'.repeat(300)}.txt`, `${'ё'.repeat(125)}.txt`],
  ])('%j is the document %j', async (sent, name) => {
    const created = await put('names', [[sent, `content of ${sent}`]]);
    expect(created.result?.added).toEqual([name]);
    const path = `/bot/names/document/${encodeURIComponent(name)}`;
    expect((await call('GET', path)).body).toMatchObject({ name, status: 'complete' });
    expect((await call('GET', '/bot/names')).body.files).toEqual([
      `/documents/names/${encodeURIComponent(name)}`,
    ]);
    const opened = await index.part.bots.openDocument('names', name);
    expect(await text(await opened.read())).toBe(`content of ${sent}`);
    expect((await index.done('names', call('DELETE', path))).status).toBe('complete');
    expect((await call('GET', path)).status).toBe(404);
  });

  it('two files with one name: identical ones count once, others get a number', async () => {
    const created = await put('twins', [
      ['a.txt', '1'],
      ['a.txt', '1'],
      ['a.txt', '2'],
      ['x/a.txt', '3'],
    ]);
    expect(created.result).toMatchObject({ added: ['a.txt', 'a (2).txt', 'a (3).txt'], skipped: [] });
    expect((await index.stored()).files.filter((key) => key.startsWith('index/twins/'))).toHaveLength(3);
  });
});

describe('refusals', () => {
  const direct = '{"type":"direct_link","url":"https://example.org/a"}';
  it.each([
    ['no file', 'PUT', '/bot/bad', form([]), 422],
    ['no file of a document', 'PUT', '/bot/twins/document', fields({ x: 'y' }), 422],
    ['a file in another field', 'PUT', '/bot/bad', form([['a', 'a']], {}, 'documents'), 422],
    [
      'two files of one document',
      'PUT',
      '/bot/twins/document',
      form(
        [
          ['a', 'a'],
          ['b', 'b'],
        ],
        {},
        'file',
      ),
      413,
    ],
    ['an unknown field', 'PUT', '/bot/bad', form([['a', 'a']], { priority: '1' }), 422],
    ['a bad time', 'PUT', '/bot/bad', form([['a', 'a']], { time_to_eval: '2026-02-30 10:00' }), 422],
    ['a bad flag', 'PUT', '/bot/bad', form([['a', 'a']], { sync: 'soon' }), 422],
    ['no name', 'PUT', '/bot/bad', form([['..', 'a']]), 422],
    ['a bad bot', 'PUT', '/bot/Bad', form([['a', 'a']]), 422],
    ['a reserved bot', 'PUT', '/bot/botsinfo', form([['a', 'a']]), 422],
    ['no source', 'PUT', '/bot/bad/urls', fields({ user_story: 'x' }), 422],
    ['a bad source', 'PUT', '/bot/bad/urls', fields({ urls: '{"type":"ftp"}' }), 422],
    ['a file among links', 'PUT', '/bot/bad/urls', form([['a', 'a']], { urls: direct }, 'files'), 422],
    ['a bad link', 'PUT', '/bot/twins/document_by_url', fields({ url: 'file:///etc/passwd' }), 422],
    ['JSON', 'PUT', '/bot/bad', { files: [] }, 415],
    ['a document of no bot', 'PUT', '/bot/nobody/document', form([['a', 'a']], {}, 'file'), 404],
    ['a link of no bot', 'PUT', '/bot/nobody/document_by_url', fields({ url: 'https://example.org/a' }), 404],
    ['deleting no bot', 'DELETE', '/bot/nobody', undefined, 404],
    ['deleting no document', 'DELETE', '/bot/twins/document/constructor', undefined, 404],
    ['no bot', 'GET', '/bot/nobody', undefined, 404],
    ['no bot called constructor', 'GET', '/bot/constructor', undefined, 404],
    ['no documents', 'GET', '/bot/nobody/documents', undefined, 404],
    ['no commands', 'GET', '/bot/nobody/commands', undefined, 404],
    ['no command', 'GET', '/bot/twins/command/nothing', undefined, 404],
    ['canceling nothing', 'DELETE', '/bot/twins/command/nothing', undefined, 404],
    ['a wrong method', 'POST', '/bot/twins', {}, 405],
  ])('%s', async (_what, method, path, body, status) => {
    const answer = await call(method, path, body);
    expect(answer).toEqual({ status, body: { error: expect.any(String) } });
  });

  it('too much: files, bytes, documents; and keeps nothing of it', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, number) => [`${number}`, `${number}`] as [string, string]);
    expect(await call('PUT', '/bot/much', form(many(201)))).toEqual({
      status: 413,
      body: { error: 'the form has more than 200 files; one request takes 200 files of 0 MiB in all' },
    });
    expect(
      (
        await call(
          'PUT',
          '/bot/much',
          form([
            ['a', 'x'],
            ['b', 'x'.repeat(200_000)],
          ]),
        )
      ).status,
    ).toBe(413);
    expect(await put('much', many(150))).toMatchObject({ status: 'complete' });
    expect((await call('GET', '/bot/much/documents')).body).toHaveLength(150);
    await index.done('much', call('DELETE', '/bot/much'));
    expect((await index.stored()).files.filter((key) => key.startsWith('index/much/'))).toEqual([]);
  });

  it('keys: reading needs index:read, changing needs index', async () => {
    const reader = await index.newKey('reader', ['index:read']);
    expect((await call('GET', '/bots', undefined, reader)).status).toBe(200);
    expect((await call('GET', '/bot/twins/documents', undefined, reader)).status).toBe(200);
    expect((await call('DELETE', '/bot/twins', undefined, reader)).status).toBe(403);
    expect((await call('PATCH', '/bot/twins', { support_n: 1 }, reader)).status).toBe(403);
    expect((await call('GET', '/bots', undefined, 'rh-unknown')).status).toBe(401);
  });

  it('keys: one that is limited to models sees and changes only the bots among them', async () => {
    const limited = await index.newKey('limited', ['index'], { models: ['bot/twins'] });
    const status = async (...[method, path, body]: Parameters<typeof call>) =>
      (await call(method, path, body, limited)).status;
    await put('foreign', [['a.txt', 'a']]);
    expect(Object.keys((await call('GET', '/bots', undefined, limited)).body)).toEqual(['twins']);
    expect(await status('GET', '/bot/twins/documents')).toBe(200);
    expect(await status('GET', '/bot/foreign')).toBe(403);
    expect(await status('GET', '/bot/foreign/documents')).toBe(403);
    expect(await status('GET', '/bot/foreign/document/a.txt')).toBe(403);
    expect(await status('GET', '/bot/foreign/commands')).toBe(403);
    expect(await status('POST', '/bot/foreign/search', { question: 'a' })).toBe(403);
    expect(await status('PATCH', '/bot/foreign', { support_n: 1 })).toBe(403);
    expect(await status('PUT', '/bot/foreign', form([['a.txt', 'b']]))).toBe(403);
    expect(await status('PUT', '/bot/another', form([['a.txt', 'b']]))).toBe(403);
    expect(await status('DELETE', '/bot/foreign')).toBe(403);
  });

  it('takes as many files and fields as it says, and no part without a name', async () => {
    const large = await openIndexPlatform({ run: false });
    try {
      const many = Array.from({ length: 1_500 }, (_, number): [string, string] => [`${number}`, `${number}`]);
      expect((await large.call('PUT', '/bot/large', form(many))).status).toBe(202);
      const links = new FormData();
      for (const [name] of many) links.append('urls', direct.replace('/a', `/${name}`));
      expect((await large.call('PUT', '/bot/links/urls', links)).status).toBe(202);
    } finally {
      await large.close();
    }
    const nameless = await index.app.inject({
      method: 'PUT',
      url: '/indexapi/bot/bad',
      headers: { authorization: `Bearer ${index.key}`, 'content-type': 'multipart/form-data; boundary=x' },
      payload: '--x\r\ncontent-disposition: form-data; filename="a"\r\n\r\na\r\n--x--\r\n',
    });
    expect(nameless.json()).toEqual({ error: 'a part of the form has no field name' });
  });

  it('a connection that is cut in the middle of a file leaves nothing', async () => {
    const address = await index.app.listen({ host: '127.0.0.1', port: 0 });
    const sending = httpRequest(`${address}/indexapi/bot/cut`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${index.key}`,
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': 100_000,
      },
    });
    const failed = new Promise((resolve) => sending.once('error', resolve));
    const head = (name: string) =>
      `--x\r\ncontent-disposition: form-data; name="files"; filename="${name}"\r\n\r\n`;
    sending.write(`${head('one')}whole\r\n${head('two')}${'part '.repeat(1000)}`);
    await until('a file is stored', async () => (await cutFiles()).length > 0);
    sending.destroy();
    await failed;
    await until('its files are gone', async () => (await cutFiles()).length === 0);
    expect((await call('GET', '/bot/cut')).status).toBe(404);
  });
  const cutFiles = async () => (await index.stored()).files.filter((key) => key.startsWith('index/cut/'));
});

it('forgets ended commands after a day', async () => {
  const { status, body } = await call('PUT', '/bot/day', form([['a', 'a']]));
  expect(status).toBe(202);
  await index.ended('day', body.command_id);
  now += 23 * 3_600_000;
  expect((await call('GET', `/bot/day/command/${body.command_id}`)).status).toBe(200);
  now += 2 * 3_600_000;
  expect(await call('GET', `/bot/day/command/${body.command_id}`)).toEqual({
    status: 404,
    body: { error: 'not found' },
  });
  expect((await call('GET', '/bot/day/commands')).body).toEqual({});
});

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinkSigner } from '../../src/chatbot/files/link-signer.ts';
import { awayFromMinuteEnd } from '../testkit/away-from-minute-end.ts';
import { scriptedBots, startChatbot } from '../testkit/document-index/chatbot.ts';

const { bots } = scriptedBots([{ name: 'План работ.pdf', text: 'Works begin in May.' }]);
let chatbot: Awaited<ReturnType<typeof startChatbot>>;
let reader: string;
let owner: string;

beforeAll(async () => {
  chatbot = await startChatbot(bots, { max_document_size: 1000, public: [] });
  reader = await chatbot.key(['index:read']);
  owner = await chatbot.key(['index']);
});
afterAll(() => chatbot.close());

const put = (name: string, body: string | Uint8Array, key = owner, headers: Record<string, string> = {}) =>
  fetch(`${chatbot.url}/documents/${name}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: body as string,
  });
const get = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${chatbot.url}/documents/${name}`, {
    method,
    headers: { authorization: `Bearer ${reader}`, ...headers },
  });

describe('PUT /documents/{filename}', () => {
  it.each(['report.pdf', 'Договор № 5.docx', 'a b"c.txt', '😀.md', 'constructor', `${'ж'.repeat(96)}.txt`])(
    'stores %j, replaces it, and removes it',
    async (name) => {
      const path = encodeURIComponent(name);
      expect(await (await put(path, 'one')).json()).toMatchObject({
        filename: name,
        uri: `/documents/${path}`,
        bytes: 3,
      });
      expect((await put(path, '{"not": json', owner, { 'content-type': 'application/json' })).status).toBe(
        200,
      );
      const got = await get(path);
      expect([got.status, await got.text()]).toEqual([200, '{"not": json']);
      const removed = await fetch(`${chatbot.url}/documents/${path}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${owner}` },
      });
      expect(removed.status).toBe(204);
      expect((await get(path)).status).toBe(404);
    },
  );

  it.each(['%2e%2e%2fetc', '..%5cx', 'a%2Fb', 'a/b/c', 'x%00y', '%zz', 'ж'.repeat(101), 'hr/new.pdf'])(
    'refuses the name %j',
    async (name) => {
      const response = await put(name, 'x');
      expect([400, 404, 422]).toContain(response.status);
      expect(await response.json()).toEqual({ error: expect.any(String) });
    },
  );

  it('refuses paths with dots that clients would resolve', async () => {
    const raw = await rawRequest(`PUT /documents/../admin-token HTTP/1.1`, owner);
    expect(raw).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  it('needs a key that may write, and refuses what is too large without touching the file', async () => {
    expect((await put('a.txt', 'x', reader)).status).toBe(403);
    expect((await put('a.txt', 'x', 'none')).status).toBe(401);
    await put('a.txt', 'old');
    const large = await put('a.txt', 'x'.repeat(2000));
    expect([large.status, await large.json()]).toEqual([
      413,
      { error: 'a document may have at most 1000 bytes' },
    ]);
    const chunked = await fetch(`${chatbot.url}/documents/a.txt`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${owner}` },
      body: ReadableStream.from(Array.from({ length: 200 }, () => new Uint8Array(10_000))),
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
    expect(await (await get('a.txt')).text()).toBe('old');
    const actions = await chatbot.database.query
      .selectFrom('audit_log')
      .select(['action', 'subject'])
      .execute();
    expect(actions).toContainEqual({ action: 'document.store', subject: 'a.txt' });
  });
});

describe('GET /documents/{filename}', () => {
  beforeAll(async () => {
    await put('letters.txt', 'abcdefghij');
    await put('page.html', '<script>alert(1)</script>');
    await put('picture.svg', '<svg onload="alert(1)"/>');
  });

  it('sends ranges, and 304 for what the client has', async () => {
    const whole = await get('letters.txt');
    const etag = whole.headers.get('etag') as string;
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    const part = await get('letters.txt', { range: 'bytes=2-4' });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 2-4/10',
      'cde',
    ]);
    expect((await get('letters.txt', { range: 'bytes=20-' })).status).toBe(416);
    expect((await get('letters.txt', { 'if-none-match': etag })).status).toBe(304);
    expect((await get('letters.txt', { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
    const head = await get('letters.txt', {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', '']);
    await put('letters.txt', 'changed');
    expect((await get('letters.txt', { 'if-none-match': etag })).status).toBe(200);
  });

  it.each([
    ['page.html', 'application/octet-stream', /^attachment/],
    ['picture.svg', 'application/octet-stream', /^attachment/],
    ['letters.txt', 'text/plain; charset=utf-8', /^inline/],
  ])('sends %s so that a browser does not run it', async (name, type, disposition) => {
    const { headers } = await get(name);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('content-disposition')).toMatch(disposition);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox');
  });

  it('serves the documents of bots, with a key or a signature that has not expired', async () => {
    const path = `hr/${encodeURIComponent('План работ.pdf')}`;
    const got = await get(path);
    expect([got.status, got.headers.get('content-type'), await got.text()]).toEqual([
      200,
      'application/pdf',
      'Works begin in May.',
    ]);
    const open = (address: string) => fetch(chatbot.url + address);
    expect((await open(`/documents/${path}`)).status).toBe(401);
    const now = Date.now();
    const signer = (at: number) =>
      new LinkSigner({ clock: { now: () => at } as never, ownKey: 'rh-own', lifetime: 60_000 });
    expect((await open(signer(now).sign(`/documents/${path}`))).status).toBe(200);
    expect((await open(signer(now - 120_000).sign(`/documents/${path}`))).status).toBe(401);
    const other = signer(now).sign(`/documents/${path}`).replace(path, 'letters.txt');
    expect((await open(other)).status).toBe(401);
    const limited = await chatbot.key(['index'], { models: ['bot/other'] });
    expect((await get(path, { authorization: `Bearer ${limited}` })).status).toBe(403);
    expect((await get('hr/other.pdf')).status).toBe(404);
    expect((await get('HR/x.pdf')).status).toBe(404);
  });
});

describe('public bots', () => {
  it('answer without a key, up to a number per minute and address, and show their documents', async () => {
    const open = await startChatbot(bots, { public: ['hr'], public_requests_per_minute: 2 });
    const ask = (headers = {}) =>
      fetch(`${open.url}/v.1.0/hr`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ question: 'When do works begin?' }),
      });
    expect((await fetch(`${open.url}/v.1.0/hr`)).status).toBe(200);
    await awayFromMinuteEnd();
    const statuses = [(await ask()).status, (await ask()).status, (await ask()).status];
    expect(statuses).toEqual([200, 200, 429]);
    expect((await ask({ authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await ask({ authorization: `Bearer ${await open.key(['index:read'])}` })).status).toBe(200);
    expect((await fetch(`${open.url}/documents/hr/${encodeURIComponent('План работ.pdf')}`)).status).toBe(
      200,
    );
    expect((await fetch(`${open.url}/v.1.0/other`)).status).toBe(401);
    expect((await fetch(`${open.url}/v.1.0/hr/feedback`)).status).toBe(401);
    await open.close();
  });
});

function rawRequest(line: string, key: string): Promise<string> {
  const { port, hostname } = new URL(chatbot.url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => {
      socket.end(
        `${line}\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: 1\r\nconnection: close\r\n\r\nx`,
      );
    });
    socket
      .on('data', (chunk) => {
        text += chunk;
      })
      .on('close', () => resolve(text))
      .on('error', reject);
  });
}

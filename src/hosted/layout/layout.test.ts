import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltTestApp, buildTestApp } from '../../../test/testkit/app.ts';
import { awayFromMinuteEnd } from '../../../test/testkit/away-from-minute-end.ts';
import { until } from '../../../test/testkit/until.ts';
import { platformActor } from '../../contracts/actor.ts';
import type { ApiKeyLimits } from '../../contracts/api-keys.ts';
import { type LayoutElement, LayoutResponse } from '../../contracts/hosted/layout-elements.ts';
import { Problem } from '../../contracts/problems.ts';
import { type Documents, openDocuments } from '../../documents/read-document.ts';
import { documentSettings } from '../../documents/settings.ts';
import { createKey } from '../../platform/auth/keys/create-key.ts';
import { anonymous } from '../../platform/http/access.ts';
import { type Metering, openMetering } from '../../platform/metering/open-metering.ts';
import { isAlive } from '../../platform/processes/is-alive.ts';
import { silentLogger } from '../../platform/telemetry/logger.ts';
import { hostedService } from '../hosted-service.ts';

let folder: string;
let test: BuiltTestApp;
let documents: Documents;
let metering: Metering;
let key: string;
let url: string;

/** The hosted API with its documents in `folder`. */
function service(deps: BuiltTestApp['deps'], reader: Documents, uploads: string) {
  return hostedService({
    ...deps,
    settings: {
      registration: 'closed',
      registrations_per_hour: 1,
      registrations_per_hour_in_all: 1,
      limits: {},
    },
    inference: { bots: async () => [], models: async () => ({ object: 'list', data: [] }) },
    served: { surface: { rename() {}, answer() {}, remove() {} }, aliases: () => new Map() },
    layout: { documents: reader, metering, uploads, settings: { max_files: 3, max_size: 2 ** 20 } },
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'layout-'));
  documents = openDocuments(documentSettings.documents.parse({ workers: 2 }));
  test = await buildTestApp(async (deps) => {
    metering = await openMetering({ ...deps, logger: silentLogger() });
    return [service(deps, documents, folder)];
  });
  url = await test.app.listen({ host: '127.0.0.1', port: 0 });
  key = await newKey({});
});
afterAll(async () => {
  await metering.close();
  await test.close();
  await documents.close();
  rmSync(folder, { recursive: true, force: true });
});

async function newKey(limits: ApiKeyLimits): Promise<string> {
  const request = { name: 'caller', scopes: ['inference' as const], limits };
  return (await createKey(test.deps, platformActor('test'), request)).key;
}

interface Sent {
  files?: Record<string, string | Buffer<ArrayBuffer>>;
  fields?: [string, string][];
  headers?: Record<string, string>;
  path?: string;
}

function send({ files = {}, fields = [], headers, path = '/hosted/v1/layout' }: Sent): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  for (const [name, text] of Object.entries(files)) form.append('files', new Blob([text]), name);
  const authorized = headers ?? { authorization: `Bearer ${key}` };
  return fetch(url + path, { method: 'POST', headers: authorized, body: form });
}

async function elements(sent: Sent): Promise<LayoutElement[]> {
  const answer = await send(sent);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('json')]);
  const body = LayoutResponse.parse(await answer.json());
  return body as LayoutElement[];
}

const report =
  '# Отчёт\n\nПервый абзац о погоде в городе.\n\n- один\n- два\n\n| a | b |\n|---|---|\n| 1 | 2 |\n';

describe('POST /hosted/v1/layout', () => {
  it('200 with the elements of one file, in the documented shape; nothing of it stays', async () => {
    const found = await elements({ files: { 'отчёт.md': report } });
    expect(found.map(({ type, text }) => [type, text])).toEqual([
      ['Title', 'Отчёт'],
      ['NarrativeText', 'Первый абзац о погоде в городе.'],
      ['ListItem', 'один'],
      ['ListItem', 'два'],
      ['Table', expect.stringContaining('1')],
    ]);
    expect(found[1]?.metadata).toMatchObject({
      filename: 'отчёт.md',
      filetype: 'text/markdown',
      languages: ['rus'],
      parent_id: found[0]?.element_id,
    });
    expect(found.at(-1)?.metadata.text_as_html).toContain('<th>a</th>');
    await until('the upload is gone', () => readdirSync(folder).length === 0);
  });

  it('200 with an array per file, in their order', async () => {
    const answer = await send({ files: { 'a.txt': 'First file.', 'b.html': '<h1>Second</h1>' } });
    const body = (await answer.json()) as LayoutElement[][];
    expect(body.map((file) => file.map(({ metadata }) => metadata.filename))).toEqual([
      ['a.txt'],
      ['b.html'],
    ]);
  });

  it('answers as CSV by output_format or Accept, and as multipart/mixed', async () => {
    const files = { 'a.md': report };
    const csv = await send({ files, fields: [['output_format', 'text/csv']] });
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect((await csv.text()).split('\n')[0]).toContain('type,element_id,text');
    const headers = { authorization: `Bearer ${key}`, accept: 'multipart/mixed' };
    const mixed = await send({ files, headers });
    expect(mixed.headers.get('content-type')).toMatch(/^multipart\/mixed; boundary="\w+"$/);
    const content = /\r\n\r\n([^\r]+)\r\n/.exec(await mixed.text())?.[1] ?? '';
    expect(JSON.parse(Buffer.from(content, 'base64').toString())).toHaveLength(5);
    const none = await send({ files, headers: { ...headers, accept: 'image/png' } });
    expect([none.status, await none.json()]).toEqual([406, { detail: 'Unsupported media type image/png.' }]);
  });

  it('adds pictures of the elements that are asked for', async () => {
    const fixtures = join(import.meta.dirname, '../../../test/fixtures/documents');
    const files = { 'a.pdf': readFileSync(join(fixtures, 'owner-password.pdf')) };
    const types: [string, string] = ['extract_image_block_types', '["narrativetext","constructor"]'];
    const [text] = await elements({ files, fields: [types] });
    expect(text?.metadata.image_mime_type).toBe('image/jpeg');
    const picture = Buffer.from(text?.metadata.image_base64 ?? '', 'base64');
    expect(picture.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
    const [plain] = await elements({ files, fields: [['extract_image_block_types', 'Table']] });
    expect(plain?.metadata).not.toHaveProperty('image_base64');
  });

  it('chunks by title, with the elements of each chunk; overlong overlaps are refused', async () => {
    const files = { 'a.md': `${report}\n# Next\n\nMore text here.\n` };
    const fields: [string, string][] = [
      ['chunking_strategy', 'by_title'],
      ['combine_under_n_chars', '0'],
    ];
    const found = await elements({ files, fields });
    expect(found.map(({ type }) => type)).toEqual(['CompositeElement', 'Table', 'CompositeElement']);
    const packed = Buffer.from(found[0]?.metadata.orig_elements ?? '', 'base64');
    const originals = JSON.parse(inflateSync(packed).toString()) as LayoutElement[];
    expect(originals.map(({ type }) => type)).toEqual(['Title', 'NarrativeText', 'ListItem', 'ListItem']);
    const wrong = await send({ files, fields: [...fields, ['max_characters', '10'], ['overlap', '10']] });
    expect([wrong.status, await wrong.json()]).toEqual([400, { detail: expect.stringContaining('overlap') }]);
  });

  it("takes Unstructured's path, key header and forms of lists", async () => {
    const headers = { 'unstructured-api-key': key };
    const fields: [string, string][] = [
      ['languages[]', 'rus'],
      ['languages[]', 'eng'],
      ['coordinates', 'True'],
      ['split_pdf_page', 'true'],
    ];
    for (const root of ['/hosted', '']) {
      const sent = { files: { 'a.md': report }, fields, headers, path: `${root}/general/v0/general` };
      expect((await elements(sent)).length).toBe(5);
      expect((await send({ ...sent, headers: {} })).status).toBe(401);
      expect((await fetch(`${url}${root}/general/docs`)).status).toBe(200);
    }
  });

  it('4xx in words for what it can not take', async () => {
    const answer = async (sent: Sent) => {
      const response = await send(sent);
      return [response.status, ((await response.json()) as { detail: unknown }).detail];
    };
    expect(await answer({ files: { a: 'x' }, headers: {} })).toEqual([401, expect.any(String)]);
    expect(await answer({})).toEqual([400, 'Request parameter "files" is required.']);
    const wrong = await answer({ files: { 'a.txt': 'x' }, fields: [['strategy', 'best']] });
    expect(wrong).toEqual([422, [expect.objectContaining({ loc: ['body', 'strategy'] })]]);
    expect(await answer({ files: { 'a.bin': '\0\u0001\u0002\u0003'.repeat(50) } })).toEqual([
      400,
      expect.stringContaining('not supported'),
    ]);
    expect((await answer({ files: { 'a.docx': 'PK\u0003\u0004 broken' } }))[0]).toBe(422);
    expect((await answer({ files: { 'a.txt': '' } }))[0]).toBe(422);
    const four = { 'a.txt': 'x', 'b.txt': 'x', 'c.txt': 'x', 'd.txt': 'x' };
    expect((await answer({ files: four }))[0]).toBe(413);
    expect((await answer({ files: { 'a.txt': 'x'.repeat(2 ** 20 + 1) } }))[0]).toBe(413);
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const response = await fetch(`${url}/hosted/v1/layout`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': type },
        body: '{}',
      });
      expect(response.status).toBe(415);
      expect(await response.text()).toContain('as multipart/form-data');
    }
    expect((await elements({ files: { 'a.txt': 'Still here.' } })).length).toBe(1);
    await until('the uploads are gone', () => readdirSync(folder).length === 0);
  });

  it('counts pages against the limits of a key, and only those', async () => {
    await awayFromMinuteEnd();
    const limited = await newKey({ pages_per_minute: 2, tokens_per_minute: 1 });
    const headers = { authorization: `Bearer ${limited}` };
    const status = async () => (await send({ files: { 'a.txt': 'One page.' }, headers })).status;
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
  });

  it('takes any name of a file, and refuses fields that are too large or too many', async () => {
    for (const name of ['constructor', '__proto__', '../../etc/пароли', '🦊']) {
      const [element] = await elements({ files: { [`${name}.txt`]: 'Some words.' } });
      expect(element?.metadata.filename).toBe(`${name.split('/').at(-1)}.txt`);
    }
    const files = { 'a.txt': 'x' };
    const status = async (fields: [string, string][]) => (await send({ files, fields })).status;
    expect(await status([['languages', 'x'.repeat(2 ** 20 + 1)]])).toBe(413);
    const half = 'x'.repeat(2 ** 19 + 1);
    expect(
      await status([
        ['a', half],
        ['b', half],
      ]),
    ).toBe(413);
    expect(await status(Array.from({ length: 201 }, (_, at) => [`f${at}`, '1']))).toBe(413);
    for (const languages of ['--psm 0', '../rus', 'rus,'.repeat(51)])
      expect(await status([['languages', languages]])).toBe(422);
    expect(await status([['constructor', '1']])).toBe(400);
    expect(await status([['toString[]', '1']])).toBe(200);
    await until('the uploads are gone', () => readdirSync(folder).length === 0);
  });

  /** Sends a head that promises a large form, and its beginning. */
  const begin = (authorization: string): Socket => {
    const head = [
      'POST /hosted/v1/layout HTTP/1.1',
      'host: x',
      `authorization: Bearer ${authorization}`,
      'content-type: multipart/form-data; boundary=b',
      'content-length: 900000',
    ].join('\r\n');
    const part = '--b\r\ncontent-disposition: form-data; name="files"; filename="a.txt"\r\n\r\nThe beginning';
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`${head}\r\n\r\n${part}`);
    return socket;
  };

  it('deletes what came of a cut upload, and gives its place back', async () => {
    const limited = await newKey({ parallel_requests: 1 });
    const socket = begin(limited);
    await until('the upload has begun', () => readdirSync(folder).length === 1);
    const headers = { authorization: `Bearer ${limited}` };
    expect((await send({ files: { 'a.txt': 'x' }, headers })).status).toBe(429);
    socket.resetAndDestroy();
    await until('the upload is gone', () => readdirSync(folder).length === 0);
    await until(
      'the key is free',
      async () => (await send({ files: { 'a.txt': 'x' }, headers })).status === 200,
    );
  });

  it('works for a key whose tokens are used up', async () => {
    const limited = await newKey({ tokens_per_month: 1 });
    const caller = test.deps.ring.authenticate(limited);
    const entrance = await metering.limits.enter(caller ?? anonymous, { tokens: 1 });
    if (!(entrance instanceof Problem)) entrance.settle({ tokens: 5 });
    expect(await metering.limits.begin(caller ?? anonymous)).toBeInstanceOf(Problem);
    const headers = { authorization: `Bearer ${limited}` };
    expect((await send({ files: { 'a.txt': 'x' }, headers })).status).toBe(200);
  });

  it('429 before the files of a key that is over its limits have come', async () => {
    const limited = await newKey({ pages_per_month: 1 });
    const status = async () => {
      const socket = begin(limited);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return answer.toString().split(' ')[1];
    };
    const headers = { authorization: `Bearer ${limited}` };
    await until(
      'the limit is reached',
      async () => (await send({ files: { 'a.txt': 'x' }, headers })).status === 429,
    );
    expect(await status()).toBe('429');
    await until('the upload is gone', () => readdirSync(folder).length === 0);
  });

  it('stops reading for a client that leaves', async () => {
    const uploads = mkdtempSync(join(tmpdir(), 'layout-left-'));
    const tasks = new URL('../../../test/testkit/documents/endless-tasks.ts', import.meta.url).href;
    const endless = openDocuments(documentSettings.documents.parse({ workers: 1 }), { tasks });
    const other = await buildTestApp((deps) => [service(deps, endless, uploads)]);
    try {
      const address = await other.app.listen({ host: '127.0.0.1', port: 0 });
      const created = await createKey(other.deps, platformActor('test'), {
        name: 'caller',
        scopes: ['inference'],
        limits: {},
      });
      await other.deps.ring.refresh();
      const body = new FormData();
      body.append('files', new Blob(['Some words.']), 'a.txt');
      const leaving = new AbortController();
      const headers = { authorization: `Bearer ${created.key}` };
      const answer = fetch(`${address}/hosted/v1/layout`, {
        method: 'POST',
        headers,
        body,
        signal: leaving.signal,
      });
      const pid = await until('a worker reads', () => {
        const file = join(uploads, 'worker');
        return existsSync(file) && Number(readFileSync(file, 'utf8'));
      });
      leaving.abort();
      await expect(answer).rejects.toThrow();
      await until('the worker has ended', () => !isAlive(pid));
      await until('the upload is gone', () => readdirSync(uploads).join() === 'worker');
    } finally {
      await other.close();
      await endless.close();
      rmSync(uploads, { recursive: true, force: true });
    }
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BotSources } from '../../src/contracts/document-index/bot-sources.ts';
import { openEngine, openSearch } from '../../src/document-index/open-engine.ts';
import { openDocuments } from '../../src/documents/read-document.ts';
import { documentSettings } from '../../src/documents/settings.ts';
import { listAudit } from '../../src/platform/audit/list-audit.ts';
import { createInference } from '../../src/platform/inference/inference.ts';
import { silentLogger } from '../../src/platform/telemetry/logger.ts';
import { openEmbeddedVectors } from '../../src/platform/vectors/embedded/embedded-vectors.ts';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { findLeftovers } from '../testkit/document-index/find-leftovers.ts';
import {
  fields,
  form,
  type IndexPlatform,
  openIndexPlatform,
} from '../testkit/document-index/index-platform.ts';
import { KilledServer } from '../testkit/document-index/kill-storm.ts';
import { inputsOf, startEmbeddingPod } from '../testkit/pods/embedding-pod.ts';
import type { MockPod } from '../testkit/pods/mock-pod.ts';
import { type DriveBServer, startDriveBServer } from '../testkit/sources/drive-b-server.ts';
import { startWebServer, type WebServer } from '../testkit/sources/web-server.ts';
import { type StandInPage, startWikiServer, type WikiServer } from '../testkit/sources/wiki-server.ts';
import { until } from '../testkit/until.ts';

const secret = 'wiki-token-hunter2';
let folder: string;
let wiki: WikiServer;
let drive: DriveBServer;
let site: WebServer;
let pod: MockPod;
let dispatcher: RunningDispatcher;
let index: IndexPlatform;
let reporting: NodeJS.Timeout;
let documents: ReturnType<typeof openDocuments>;

const share = 'https://disk.yandex.ru/d/AbCd1234efGH';
const page = (id: string, title: string, words: string): StandInPage => ({
  id,
  title,
  html: `<p>${words}</p>`,
});
const content = (words: string) => Buffer.from(words);

async function open(): Promise<void> {
  const vectors = openEmbeddedVectors(
    { folder: join(folder, 'vectors'), memory: 2 ** 28, idle: 60_000 },
    { logger: silentLogger() },
  );
  const inference = createInference({ transport: dispatcher.localTransport, ownKey: undefined });
  index = await openIndexPlatform({
    folder,
    vectors,
    engine: (foundation) =>
      openEngine(
        {
          ...foundation,
          config: {
            ...(foundation.config as object),
            outgoing: {
              allow: [wiki.entry, drive.entry, site.entry],
              time_limit: 60_000,
              longest_wait: 60_000,
            },
            sources: {
              max_items: 1_000,
              time_limit: 60_000,
              drive_a: { endpoint: 'http://a.invalid' },
              drive_b: { endpoint: drive.url, token: 'y0_token' },
            },
          },
        } as never,
        {
          vectors,
          inference,
          documents,
          layoutModels: { get: () => undefined } as never,
          slots: undefined,
          chatbot: () => undefined,
          forgetAnswers: async () => undefined,
        },
      ),
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-sync-'));
  const pages = [page('1', 'Pumps', 'The feed pump supplies the boiler.'), page('2', 'Fans', 'Fans cool.')];
  wiki = await startWikiServer({ spaces: { OPS: { name: 'Operations', pages } }, token: secret });
  drive = await startDriveBServer({
    [share]: [
      { path: '/', name: 'Смена' },
      { path: '/Отпуск.txt', content: content('Отпуск длится двадцать восемь дней.'), id: 'f1' },
      { path: '/copy.txt', content: content('Отпуск длится двадцать восемь дней.'), id: 'f2' },
    ],
  });
  site = await startWebServer((request, response) =>
    request.url?.startsWith('/rules.txt')
      ? response.writeHead(200, { 'content-type': 'text/plain', etag: '"1"' }).end('Helmets are required.')
      : response.writeHead(404).end(),
  );
  pod = await startEmbeddingPod();
  dispatcher = await startDispatcher();
  const report = () =>
    dispatcher.report({ pod_id: 'emb', task: 'embeddings', model_name: 'emb', pod_address: pod.url });
  await report();
  // Pods that are silent for long get no requests.
  reporting = setInterval(() => void report().catch(() => undefined), 3_000);
  documents = openDocuments({ ...documentSettings.documents.parse({}), workers: 1 });
  await open();
});
afterAll(async () => {
  clearInterval(reporting);
  await index?.close();
  await documents?.close();
  await dispatcher?.close();
  await pod?.kill();
  await Promise.all([wiki, drive, site].map((server) => server?.close()));
  rmSync(folder, { recursive: true, force: true });
});

const sync = () => index.done('ops', index.call('POST', '/bot/ops/sync'));
const named = async () =>
  ((await index.call('GET', '/bot/ops/documents')).body as { name: string; status: string }[])
    .map(({ name, status }) => (status === 'complete' ? name : `${name} (${status})`))
    .sort();
const pages = () => wiki.spaces.OPS?.pages ?? [];
const files = () => drive.shares[share] ?? [];
const fetches = () =>
  wiki.seen.filter(({ url }) => /pdfpageexport|download/.test(url ?? '')).length +
  drive.seen.filter(({ url }) => url?.startsWith('/storage')).length;
const embedded = () => pod.requests.flatMap(inputsOf).length;
const found = async (question: string) => {
  const inference = createInference({ transport: dispatcher.localTransport, ownKey: undefined });
  const search = openSearch({ database: index.database }, { vectors: index.vectors, inference });
  const bot = await index.database.query.selectFrom('bots').selectAll().executeTakeFirstOrThrow();
  const query = { question, credentials: 'platform' as const, signal: AbortSignal.timeout(60_000) };
  return (await search(bot, query)).passages.map(({ document }) => document.name);
};

describe('POST /indexapi/bot/{bot_id}/sync', () => {
  it('404 without the bot, 422 without sources, 409 while busy', async () => {
    expect((await index.call('POST', '/bot/ops/sync')).status).toBe(404);
    await index.done('files', index.call('PUT', '/bot/files', form([['a.txt', 'Text of a file.']])));
    expect(await index.call('POST', '/bot/files/sync')).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining('no sources') },
    });
    expect((await index.call('PATCH', '/bot/files', { sync_every: '6h' })).status).toBe(422);
    expect((await index.call('PATCH', '/bot/files', { sync_every: '1s' })).status).toBe(422);
    await index.done('files', index.call('DELETE', '/bot/files'));
    const urls = JSON.stringify([
      { type: 'wiki', url: `${wiki.base}/display/OPS`, api_key: secret },
      { type: 'drive_b', url: share },
    ]);
    const created = index.call('PUT', '/bot/ops/urls', fields({ urls, sync_every: '6h' }));
    expect((await created).status).toBe(202);
    expect((await index.call('POST', '/bot/ops/sync')).status).toBe(409);
    await index.ended('ops', (await created).body.command_id);
    expect(await named()).toEqual(['Fans.pdf', 'Pumps.pdf', 'copy.txt', 'Отпуск.txt']);
    expect((await index.call('GET', '/bot/ops')).body).toMatchObject({
      sync_every: 21_600,
      sources: [{ type: 'wiki' }, { type: 'drive_b', url: share }],
    });
    await index.done(
      'ops',
      index.call('PUT', '/bot/ops/document', form([['notes.txt', 'Uploaded.']], {}, 'file')),
    );
    const link = fields({ url: `${site.url}/rules.txt?token=hunter2hunter2` });
    await index.done('ops', index.call('PUT', '/bot/ops/document_by_url', link));
    const { body } = await index.call('GET', '/bot/ops');
    expect(body.sources).toHaveLength(3);
  });

  it('fetches and embeds nothing where nothing has changed', async () => {
    const before = [fetches(), embedded()];
    expect(await sync()).toMatchObject({
      type: 'sync_bot',
      status: 'complete',
      result: { added: [], removed: [], unchanged: 5, skipped: [], failed: [], deleted: { chunks: 0 } },
    });
    expect([fetches(), embedded()]).toEqual(before);
  });

  it('adds, updates, renames and deletes what changed, and only that', async () => {
    const kept = await index.database.query
      .selectFrom('bot_documents')
      .select('id')
      .where('name', 'in', ['copy.txt', 'notes.txt', 'rules.txt'])
      .execute();
    Object.assign(pages()[0] ?? {}, { title: 'Feed pumps', version: 2, html: '<p>Zanzibar valve.</p>' });
    pages().splice(1, 1, page('3', 'Turbine', 'The turbine turns.'));
    Object.assign(files()[1] ?? {}, { path: '/Отпуск 2027.txt' });
    // The upload of the same name stays.
    files().push({ path: '/notes.txt', content: content('Notes of the drive.'), id: 'f3' });
    const before = fetches();
    const { result } = await sync();
    expect(result).toMatchObject({ removed: ['Fans.pdf'], unchanged: 2, skipped: [], failed: [] });
    expect(result?.added.toSorted()).toEqual([
      'Feed pumps.pdf',
      'Turbine.pdf',
      'notes (2).txt',
      'Отпуск 2027.txt',
    ]);
    expect(fetches() - before).toBe(3);
    expect(await named()).toEqual([
      'Feed pumps.pdf',
      'Turbine.pdf',
      'copy.txt',
      'notes (2).txt',
      'notes.txt',
      'rules.txt',
      'Отпуск 2027.txt',
    ]);
    const { rows, files: stored, collections } = await index.stored();
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(kept.map(({ id }) => id)));
    expect(rows.every(({ state }) => state === 'active')).toBe(true);
    expect(stored).toHaveLength(7);
    expect(collections.find(({ name }) => name === 'ops')).toMatchObject({ points: 7 });
    expect((await found('zanzibar valve'))[0]).toBe('Feed pumps.pdf');
    const { context } = await index.database.query
      .selectFrom('bot_chunks')
      .select('context')
      .where('text', 'like', '%turbine%')
      .executeTakeFirstOrThrow();
    expect(context).toMatch(/^Operations › /);
    expect((await sync()).result).toMatchObject({ added: [], removed: [], unchanged: 6 });
  });

  it('renders pages where the wiki exports none: no second copy, and nothing is fetched for that alone', async () => {
    const names = await named();
    const asked = () =>
      wiki.seen.filter(({ url }) => /pdfpageexport|export_view|download/.test(url ?? '')).length;
    wiki.faults.loginInsteadOfPdf = true;
    const before = [asked(), embedded()];
    expect((await sync()).result).toMatchObject({ added: [], removed: [], unchanged: 6 });
    expect([asked(), embedded()]).toEqual(before);

    Object.assign(pages()[0] ?? {}, { version: 10, html: '<h2>Valves</h2><p>Mombasa valves are brass.</p>' });
    const { result } = await sync();
    expect(result).toMatchObject({ added: ['Feed pumps.pdf'], removed: [], unchanged: 5, failed: [] });
    expect(result?.warnings).toBeUndefined();
    expect(await named()).toEqual(names);
    const rendered = await index.database.query
      .selectFrom('bot_chunks')
      .innerJoin('bot_documents', 'bot_documents.id', 'bot_chunks.document')
      .select(['bot_chunks.page', 'bot_documents.type', 'bot_documents.url'])
      .where('text', 'like', '%Mombasa%')
      .execute();
    expect(rendered).toEqual([
      { page: 1, type: 'application/pdf', url: `${wiki.base}/display/OPS/Feed+pumps` },
    ]);

    wiki.faults.loginInsteadOfPdf = false;
    const after = [asked(), embedded()];
    expect((await sync()).result).toMatchObject({ added: [], removed: [], unchanged: 6 });
    expect([asked(), embedded()]).toEqual(after);
  });

  it('indexes a page that can’t be rendered as HTML, with a warning', async () => {
    wiki.faults.loginInsteadOfPdf = true;
    const cells = Array.from({ length: 60 }, (_, at) => `<td>cell ${at}</td>`).join('');
    const html = `<table><tr>${cells}</tr></table><p>Pemba valves are steel.</p>`;
    Object.assign(pages()[0] ?? {}, { version: 11, html });
    const { result } = await sync();
    expect(result).toMatchObject({ added: ['Feed pumps.pdf'], failed: [] });
    expect(result?.warnings).toEqual([
      { name: 'Feed pumps.pdf', warning: expect.stringContaining('more than 50 columns') },
    ]);
    expect(await found('pemba valves')).toContain('Feed pumps.pdf');
    wiki.faults.loginInsteadOfPdf = false;
    expect((await sync()).result).toMatchObject({ added: [], unchanged: 6 });
  });

  it('deletes nothing where a source is down, lists nothing or refuses the token', async () => {
    const before = await named();
    const token = { type: 'wiki', url: `${wiki.base}/display/OPS`, api_key: 'expired' };
    const all = pages().splice(0);
    const empty = await sync();
    expect(empty).toMatchObject({ status: 'complete', result: { added: [], removed: [] } });
    expect(empty.result?.failed).toEqual([
      { name: 'OPS', error: expect.stringContaining('lost its access') },
    ]);
    pages().push(...all);
    files()[0] = { path: '/', name: 'Смена', status: 403 };
    const refused = await sync();
    expect(refused).toMatchObject({
      status: 'complete',
      result: { removed: [], failed: [{ name: 'AbCd1234efGH' }] },
    });
    expect((await named()).filter((name) => !name.includes('error'))).toEqual(before);
    files()[0] = { path: '/', name: 'Смена' };
    expect((await sync()).result).toMatchObject({ added: [], removed: [], failed: [] });
    expect(await named()).toEqual(before);
    // The command fails, and the credentials that work stay.
    const worse = await index.done(
      'ops',
      index.call('PUT', '/bot/ops/document_by_url', fields({ url: JSON.stringify(token) })),
    );
    expect(worse.status).toBe('error');
    expect((await sync()).result).toMatchObject({ failed: [], unchanged: 6 });
    expect(await named()).toEqual(before);
  });

  it('deletes nothing from a folder that can not be listed, and everything once it is gone', async () => {
    const before = await named();
    const folders = [
      { path: '/a' },
      { path: '/b' },
      { path: '/a/kept.txt', content: content('Kept.'), id: 'f7' },
      { path: '/a/moved.txt', content: content('Moved.'), id: 'f8' },
      { path: '/b/gone.txt', content: content('Gone.'), id: 'f9' },
    ];
    files().push(...folders);
    expect((await sync()).result?.added).toHaveLength(3);
    Object.assign(folders[3] ?? {}, { path: '/b/moved.txt' });
    expect((await sync()).result).toMatchObject({ added: [], removed: [], failed: [] });
    files().splice(files().indexOf(folders[4] as never), 1);
    for (const status of [403, 404, 500]) {
      Object.assign(folders[0] ?? {}, { status });
      const { result } = await sync();
      expect(result?.removed).toEqual(status === 403 ? ['gone.txt'] : []);
      expect(result?.failed).toEqual([
        { name: 'a', error: expect.stringContaining('1 document from there stayed') },
      ]);
    }
    folders.splice(0, 1, { path: '/a' });
    files().splice(
      files().findIndex(({ path }) => path === '/a'),
      1,
      { path: '/a' },
    );
    Object.assign(folders[1] ?? {}, { status: 403 });
    expect((await sync()).result).toMatchObject({ removed: [], failed: [{ name: 'b' }] });
    expect(await named()).toEqual(expect.arrayContaining(['kept.txt', 'moved.txt']));
    for (const gone of files().filter(({ path }) => /^\/[ab]/.test(path)))
      files().splice(files().indexOf(gone), 1);
    expect((await sync()).result).toMatchObject({ removed: ['kept.txt', 'moved.txt'], failed: [] });
    expect(await named()).toEqual(before);
  });

  it('is started when it is due, also after a restart', async () => {
    Object.assign(pages()[0] ?? {}, { version: 3, html: '<p>The new regulation.</p>' });
    await index.database.query.updateTable('bots').set({ sync_due_at: 1 }).execute();
    await index.close(true);
    await open();
    await until('the new version', async () => (await found('regulation')).includes('Feed pumps.pdf'));
    await index.idle();
    const due = await index.database.query.selectFrom('bots').select('sync_due_at').executeTakeFirstOrThrow();
    expect(Number(due.sync_due_at)).toBeGreaterThan(Date.now());
    expect((await index.call('PATCH', '/bot/ops', { sync_every: null })).body.sync_every).toBeNull();
  });

  it('roundhouse bots preview and sync', async () => {
    const address = await index.app.listen({ host: '127.0.0.1', port: 0 });
    const run = async (args: string[], env = {}) => {
      const platform = { ROUNDHOUSE_URL: address, ROUNDHOUSE_API_KEY: index.key, ...env };
      const given = { env: { PATH: process.env.PATH, HOME: folder, ...platform }, stdio: 'pipe' as const };
      const child = spawn(process.execPath, ['src/cli/main.ts', 'bots', ...args], given);
      const [out, error, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'exit'),
      ]);
      return { code, out, error };
    };
    const space = `${wiki.base}/display/OPS`;
    const token = { ROUNDHOUSE_SOURCE_TOKEN: secret };
    const previews = await Promise.all([
      run(['preview', '--type', 'wiki', space], token),
      run(['preview', share, '--json']),
      run(['preview', JSON.stringify({ type: 'wiki', url: space })]),
      run(['preview', 'not a link hunter2']),
    ]);
    expect(previews[0]).toMatchObject({ code: 0, out: expect.stringContaining('Feed pumps.pdf') });
    expect(previews[0]?.error).toContain('2 documents would be indexed; 0 would not');
    expect(JSON.parse(previews[1]?.out ?? '').documents).toHaveLength(3);
    expect(previews[2]).toMatchObject({
      code: 1,
      error: expect.stringMatching(/token for .*ROUNDHOUSE_SOURCE_TOKEN/),
    });
    expect(previews[3]).toMatchObject({ code: 1, error: expect.stringContaining('expected a link') });
    files().splice(1, 1);
    const synced = await run(['sync', 'ops']);
    expect([synced.code, synced.error]).toEqual([
      0,
      expect.stringContaining('ops: 0 indexed, 1 deleted, 5 unchanged'),
    ]);
    expect((await run(['sync', 'ops', '--every', '12h'])).out).toBe('ops is synced every 12h\n');
    const listed = await run(['sources', 'ops']);
    expect(listed.out).toMatch(
      /^ID +TYPE +ADDRESS[\s\S]*drive_b +https:\/\/disk\.yandex\.ru\S+ +2 .*1 deleted/,
    );
    expect((await run(['sources', 'ops', '--remove', '77777', '--yes'])).error).toContain('no source 77777');
  });

  it('GET and DELETE /indexapi/bot/{bot_id}/sources', async () => {
    const sources = async () => (await index.call('GET', '/bot/ops/sources')).body as BotSources;
    await sync();
    const all = await sources();
    const counts = { added: 0, updated: 0, removed: 0, failed: 0, at: expect.stringMatching(/Z$/) };
    expect(all).toMatchObject([
      { type: 'wiki', documents: 2, last_sync: { ...counts, unchanged: 2 }, error: null },
      { type: 'drive_b', url: share, documents: 2, last_sync: { ...counts, unchanged: 2 } },
      { type: 'direct_link', documents: 1, next_sync: expect.stringMatching(/Z$/) },
    ]);
    expect(JSON.stringify(all)).not.toMatch(/hunter2|sealed/);
    const [, { id = 0 } = {}] = all;
    for (const other of ['999999', '-1']) {
      expect((await index.call('DELETE', `/bot/ops/sources/${other}`)).status, other).toBe(404);
    }
    expect((await index.call('DELETE', '/bot/ops/sources/constructor')).status).toBe(422);
    expect((await index.call('GET', '/bot/none/sources')).status).toBe(404);
    files().push({ path: '/broken', status: 500 });
    await sync();
    expect((await sources())[1]).toMatchObject({
      last_sync: { failed: 1 },
      error: expect.stringMatching(/^broken: .* answered 500$/),
    });
    files().splice(
      files().findIndex(({ path }) => path === '/broken'),
      1,
    );
    await sync();

    const before = await named();
    // The upload and the drive's file of the same name.
    expect(before).toEqual(expect.arrayContaining(['notes.txt', 'notes (2).txt']));
    const remove = (query = '') => index.done('ops', index.call('DELETE', `/bot/ops/sources/${query}`));
    expect(await remove(`${id}?keep_documents=true`)).toMatchObject({
      type: 'remove_source',
      status: 'complete',
      result: { removed: [], deleted: { chunks: 0 } },
    });
    expect(await sources()).toHaveLength(2);
    expect((await sync()).result).toMatchObject({ removed: [], unchanged: 3 });
    expect(await named()).toEqual(before);
    const again = fields({ url: JSON.stringify({ type: 'drive_b', url: share }) });
    expect(
      (await index.done('ops', index.call('PUT', '/bot/ops/document_by_url', again))).result?.added,
    ).toEqual([]);
    const added = (await sources()).find(({ type }) => type === 'drive_b');
    expect(added).toMatchObject({ documents: 2, last_sync: { unchanged: 2, added: 0 } });
    const { result } = await remove(String(added?.id));
    expect(result?.removed?.toSorted()).toEqual(['copy.txt', 'notes (2).txt']);
    expect(result?.deleted?.files).toBe(2);
    expect(await named()).toHaveLength(before.length - 2);
    expect((await sync()).result).toMatchObject({ added: [], removed: [] });
    await index.done('ops', index.call('PUT', '/bot/ops/document_by_url', again));
    expect(await named()).toEqual(before);
    const { entries } = await listAudit(index, { limit: 100 });
    const removals = entries.filter(({ action }) => action === 'source.remove');
    expect(removals.map(({ subject, details }) => [subject, details.keep_documents])).toEqual([
      [share, false],
      [share, true],
    ]);
  });

  it('explains for each source that the secret key is another one, and goes on with the old one', async () => {
    const file = join(folder, 'secret.key');
    const key = readFileSync(file);
    const reopen = async (content: Buffer | string) => {
      await index.close(true);
      writeFileSync(file, content);
      await open();
    };
    await reopen(Buffer.alloc(32, 7).toString('base64'));
    const { status, error } = await sync();
    expect([status, error]).toEqual([
      'error',
      expect.stringContaining('under another secret key: add it again'),
    ]);
    const { body } = await index.call('GET', '/bot/ops/sources');
    expect(body.map((source: { error: string }) => source.error)).toEqual(
      Array(3).fill(expect.stringContaining('under another secret key')),
    );
    await reopen(key);
    expect((await sync()).result).toMatchObject({ added: [], removed: [], failed: [] });
  });

  it('keeps credentials encrypted, and deletes them with the bot', async () => {
    const stored = () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
    const readable = () =>
      stored()
        .filter((path) => statSync(path).isFile())
        .filter((path) => readFileSync(path).includes('hunter2'));
    const named = fields({ url: `http://ivan:hunter2@${site.entry}/secret.txt` });
    const refused = await index.done('ops', index.call('PUT', '/bot/ops/document_by_url', named));
    expect(refused).toMatchObject({ status: 'error', error: expect.not.stringContaining('hunter2') });
    expect(readable()).toEqual([]);
    for (const path of ['s', '/ops', '/ops/sources', '/ops/commands', '/ops/documents']) {
      const { status, body } = await index.call('GET', `/bot${path}`);
      expect([status, JSON.stringify(body).includes('hunter2')], path).toEqual([200, false]);
    }
    const sources = () => index.database.query.selectFrom('bot_sources').selectAll().execute();
    expect(await sources()).toHaveLength(3);
    await index.done('ops', index.call('DELETE', '/bot/ops/document/rules.txt'));
    expect((await sync()).result).toMatchObject({ added: [], unchanged: 4 });
    expect(await sources()).toHaveLength(2);
    await index.done('ops', index.call('DELETE', '/bot/ops'));
    expect(await sources()).toEqual([]);
  });
});

it('a sync that is killed again and again ends once, with the documents of the source', async () => {
  const work = mkdtempSync(join(tmpdir(), 'roundhouse-sync-kill-'));
  const url = `sqlite:${join(work, 'roundhouse.db')}`;
  const long = (word: string) => Array.from({ length: 40 }, (_, at) => `<p>${word} ${at}</p>`).join('\n\n');
  const listed = Array.from({ length: 12 }, (_, at) => page(String(at + 1), `Page ${at + 1}`, long('old')));
  const server = await startWikiServer({ spaces: { K: { name: 'Kill', pages: listed } } });
  server.faults.latency = 5;
  const killed = new KilledServer({ folder: work, url, bots: 1, allowed: server.entry });
  try {
    const urls = JSON.stringify({ type: 'wiki', url: `${server.base}/display/K`, api_key: 'wiki-token' });
    const created = await killed.call('PUT', '/bot/bot-0/urls', fields({ urls }));
    const ended = (id: string) =>
      until('the end', async () => {
        const answer = await killed.call('GET', `/bot/bot-0/command/${id}`);
        return answer?.body.finished_at ? answer.body : undefined;
      });
    expect(await ended(created?.body.command_id)).toMatchObject({ status: 'complete' });
    listed.splice(0, 3, page('20', 'New', long('new')));
    for (const one of listed.slice(1, 7)) Object.assign(one, { version: 2, html: long('new') });
    const { body } = await killed.ask('POST', '/bot/bot-0/sync');
    for (const pause of [80, 250]) {
      await sleep(pause);
      await killed.kill();
    }
    const { status, result } = await ended(body.command_id);
    expect({ status, removed: result.removed.length, added: result.added.length }).toEqual({
      status: 'complete',
      removed: 3,
      added: 7,
    });
    const { body: rows } = await killed.ask('GET', '/bot/bot-0/documents');
    expect(rows.map(({ name }: { name: string }) => name).sort()).toEqual(
      listed.map(({ title }) => `${title}.pdf`).sort(),
    );
    await killed.stop();
    expect(await findLeftovers(work, url)).toEqual([]);
  } finally {
    await server.close();
    rmSync(work, { recursive: true, force: true });
  }
});

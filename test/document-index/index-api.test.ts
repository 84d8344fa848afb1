import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAudit } from '../../src/platform/audit/list-audit.ts';
import {
  fields,
  form,
  type IndexPlatform,
  openIndexPlatform,
} from '../testkit/document-index/index-platform.ts';
import { describeOnEachDatabase } from '../testkit/stores/databases.ts';
import { until } from '../testkit/until.ts';

describeOnEachDatabase('the document index', (databases) => {
  let index: IndexPlatform;
  beforeAll(async () => {
    index = await openIndexPlatform({ url: await databases.create() });
  });
  afterAll(() => index?.close());
  const call = (...input: Parameters<IndexPlatform['call']>) => index.call(...input);
  const put = (bot: string, ...input: Parameters<typeof form>) =>
    index.done(bot, call('PUT', `/bot/${bot}`, form(...input)));

  it('creates a bot from files, shows it, and deletes it with everything', async () => {
    const files: [string, string][] = [
      ['a.txt', 'one\n\ntwo'],
      ['Договор № 5.txt', 'три'],
    ];
    const created = await put('hr', files, { user_story: 'New employees ask.', sync: '1' });
    expect(created).toMatchObject({ status: 'complete', type: 'create_bot', error: null });
    expect(created.result).toMatchObject({ added: ['a.txt', 'Договор № 5.txt'], skipped: [], failed: [] });
    expect((await call('GET', '/bot/hr')).body).toEqual({
      name: 'hr',
      hello_text: '',
      retrive_n: 30,
      support_n: 6,
      example_questions: [],
      user_story: 'New employees ask.',
      bot_creator_credentials: 'анна',
      files: ['/documents/hr/a.txt', `/documents/hr/${encodeURIComponent('Договор № 5.txt')}`],
      status: 'ready',
      notes: [],
    });
    expect(Object.keys((await call('GET', '/bots/')).body)).toContain('hr');
    expect((await call('GET', '/bot/hr/documents')).body).toMatchObject([
      { name: 'a.txt', url: null, status: 'complete', pages: 1, chunks: 2, bytes: 8, error: null },
      {
        name: 'Договор № 5.txt',
        status: 'complete',
        chunks: 1,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    const one = await call('GET', `/bot/hr/document/${encodeURIComponent('Договор № 5.txt')}/`);
    expect(one).toMatchObject({
      status: 200,
      body: { name: 'Договор № 5.txt', indexed_at: expect.any(String) },
    });

    const deleted = await index.done('hr', call('DELETE', '/bot/hr/'));
    expect(deleted).toMatchObject({
      status: 'complete',
      type: 'delete_bot',
      result: { deleted: { chunks: 3, vectors: 3, full_text_entries: 3, files: 2 } },
    });
    expect(await call('GET', '/bot/hr')).toEqual({ status: 404, body: { error: "bot 'hr' was not found" } });
    expect(Object.keys((await call('GET', '/bot/hr/commands')).body)).toHaveLength(2);
    const left = await index.stored();
    expect(left.files.filter((key) => key.startsWith('index/hr/'))).toEqual([]);
    expect(left.rows.filter(({ bot }) => bot === 'hr')).toEqual([]);
    expect(left.collections.map(({ name }) => name)).not.toContain('hr');
  });

  it('rebuilds a bot: what is unchanged stays, what is not sent goes', async () => {
    await put(
      'wiki',
      [
        ['same', 'a'],
        ['changed', 'b'],
        ['gone', 'c'],
        ['broken', 'd'],
      ],
      { user_story: 'old' },
    );
    const before = (await index.stored()).rows.filter(({ bot }) => bot === 'wiki');
    const again = await put('wiki', [
      ['same', 'a'],
      ['changed', 'B'],
      ['broken', 'UNREADABLE'],
      ['copy', 'B'],
    ]);
    expect(again).toMatchObject({
      status: 'complete',
      result: {
        added: ['changed'],
        skipped: [
          { name: 'same', reason: 'unchanged' },
          { name: 'copy', reason: 'has the same content as changed' },
        ],
        failed: [{ name: 'broken', error: 'The file is damaged.' }],
        deleted: { chunks: 2 },
      },
    });
    const { rows, files } = await index.stored();
    const active = rows.filter(({ bot, state }) => bot === 'wiki' && state === 'active');
    expect(active.map(({ name }) => name).sort()).toEqual(['broken', 'changed', 'same']);
    const idOf = (all: typeof rows, name: string) =>
      all.find((row) => row.name === name && row.state === 'active')?.id;
    expect(idOf(rows, 'same')).toBe(idOf(before, 'same'));
    expect(files.filter((key) => key.startsWith('index/wiki/'))).toHaveLength(3);
    expect((await call('GET', '/bot/wiki/document/broken')).body).toMatchObject({
      status: 'complete',
      error: 'The last update failed: The file is damaged.',
    });
    expect((await call('GET', '/bot/wiki')).body.user_story).toBe('old');
    const unchanged = await put('wiki', [['same', 'a']]);
    expect(unchanged).toMatchObject({ status: 'complete', result: { added: [] } });
    expect((await call('GET', '/bot/wiki/documents')).body).toHaveLength(1);
  });

  it('says why a bot has nothing to answer from', async () => {
    const shown = async () => {
      const { status, notes } = (await call('GET', '/bot/unread')).body;
      return { status, notes };
    };
    await put('unread', [['only', 'UNREADABLE']]);
    const one = 'Its only document could not be indexed: only: The file is damaged.';
    expect(await shown()).toEqual({ status: 'failed', notes: [one] });
    expect((await call('GET', '/bots')).body.unread).toMatchObject({ status: 'failed', notes: [one] });
    expect((await index.part.bots.count()).failed).toBe(1);
    expect(await index.part.bots.get('unread')).toMatchObject({ ready: false, problem: one });
    const add = (name: string, content: string) =>
      index.done('unread', call('PUT', '/bot/unread/document', form([[name, content]], {}, 'file')));
    await add('other', 'UNREADABLE');
    expect(await shown()).toMatchObject({
      notes: ['None of its 2 documents could be indexed: only: The file is damaged.'],
    });
    await add('only', 'text');
    expect(await shown()).toEqual({ status: 'ready', notes: [] });
    for (const name of ['only', 'other']) {
      await index.done('unread', call('DELETE', `/bot/unread/document/${name}`));
    }
    expect(await shown()).toEqual({ status: 'empty', notes: ['It has no documents.'] });
  });

  it('adds, updates and deletes single documents', async () => {
    await put('single', [['first', 'text of the first']]);
    const add = (name: string, content: string) =>
      index.done('single', call('PUT', '/bot/single/document', form([[name, content]], {}, 'file')));
    expect(await add('second', 'x')).toMatchObject({ type: 'add_document', result: { added: ['second'] } });
    expect(await add('second', 'x')).toMatchObject({
      status: 'complete',
      result: { skipped: [{ name: 'second', reason: 'unchanged' }] },
    });
    expect(await add('third', 'x')).toMatchObject({
      result: { skipped: [{ name: 'third', reason: 'has the same content as second' }] },
    });
    expect(await add('second', 'y\n\nz')).toMatchObject({
      result: { added: ['second'], deleted: { chunks: 1, files: 1 } },
    });
    expect(await add('bad', 'UNREADABLE')).toMatchObject({
      status: 'error',
      error: 'bad: The file is damaged.',
    });
    expect(await call('GET', '/bot/single/document/bad')).toEqual({
      status: 409,
      body: { error: "document 'bad' could not be processed: The file is damaged." },
    });
    expect((await call('GET', '/bot/single/documents')).body).toMatchObject([
      { name: 'bad', status: 'error' },
      { name: 'first', status: 'complete' },
      { name: 'second', status: 'complete', chunks: 2 },
    ]);
    const removed = await index.done('single', call('DELETE', '/bot/single/document/second/'));
    expect(removed).toMatchObject({
      type: 'delete_document',
      result: { deleted: { chunks: 2, vectors: 2, full_text_entries: 2, files: 1 } },
    });
    await index.done('single', call('DELETE', '/bot/single/document/bad'));
    expect((await call('GET', '/bot/single/document/bad')).status).toBe(404);
    expect((await call('DELETE', '/bot/single/document/second')).status).toBe(404);
    await index.done('single', call('DELETE', '/bot/single/document/first'));
    expect(await call('GET', '/bot/single/documents')).toEqual({
      status: 404,
      body: { error: "bot 'single' has no documents" },
    });
  });

  it('fetches direct links, and keeps what other sources hold', async () => {
    index.links.set('https://example.org/files/%D0%9F%D0%BB%D0%B0%D0%BD.txt', 'the plan');
    index.links.set('https://wiki.example.org/space/one', 'page one');
    index.links.set('https://wiki.example.org/space/two', 'page two');
    const urls = [
      { type: 'direct_link', url: 'https://user:secret@example.org/missing.pdf' },
      { type: 'direct_link', url: 'https://example.org/files/%D0%9F%D0%BB%D0%B0%D0%BD.txt' },
      { type: 'wiki', url: 'https://wiki.example.org/space', api_key: 'token' },
      { type: 'wiki', url: 'https://wiki.example.org/other', api_key: 'wrong' },
    ];
    const created = await index.done(
      'links',
      call('PUT', '/bot/links/urls', fields({ urls: JSON.stringify(urls) })),
    );
    expect(created).toMatchObject({
      status: 'complete',
      result: {
        added: ['План.txt', 'one', 'two'],
        failed: [
          { name: 'other', error: 'the wiki refused the token' },
          { name: 'missing.pdf', error: expect.stringContaining('404') },
        ],
      },
    });
    expect((await call('GET', '/bot/links')).body.files).toContain('https://wiki.example.org/space/one');
    expect(JSON.stringify(await index.stored())).not.toMatch(/secret|wrong|sources-/);
    index.links.set('https://example.org/late.txt', 'late');
    const late = fields({ url: 'https://example.org/late.txt' });
    const added = await index.done('links', call('PUT', '/bot/links/document_by_url', late));
    expect(added.result?.added).toEqual(['late.txt']);
    expect((await call('GET', '/bot/links/document/late.txt')).body.url).toBe('https://example.org/late.txt');
  });

  it('keeps the documents of sources that can’t be listed, and says why they can’t', async () => {
    const wiki = { type: 'wiki', url: 'https://wiki.example.org/space', api_key: 'token' };
    const rebuild = (...sources: object[]) =>
      index.done('flaky', call('PUT', '/bot/flaky/urls', fields({ urls: JSON.stringify(sources) })));
    const names = async () =>
      (await call('GET', '/bot/flaky')).body.files.map((file: string) => file.split('/').at(-1)).sort();
    expect(await rebuild(wiki)).toMatchObject({ result: { added: ['one', 'two'] } });
    const refused = { ...wiki, api_key: 'wrong' };
    expect(await rebuild(refused)).toMatchObject({ status: 'error', result: { deleted: { chunks: 0 } } });
    expect(await names()).toEqual(['one', 'two']);
    index.links.set('https://example.org/get?key=1', 'document one');
    index.links.set('https://example.org/get?key=2', 'document two');
    const [one, two, away] = ['example.org/get?key=1', 'example.org/get?key=2', 'away.example.org/x'].map(
      (address) => ({ type: 'direct_link', url: `https://${address}` }),
    );
    expect(await rebuild(refused, one as object, two as object, away as object)).toMatchObject({
      status: 'complete',
      result: {
        added: ['get', 'get (2)'],
        failed: [
          { name: 'x', error: 'away.example does not answer' },
          { name: 'space', error: 'the wiki refused the token' },
        ],
        deleted: { chunks: 0 },
      },
    });
    expect((await call('GET', '/bot/flaky')).body.files).toHaveLength(4);
    await rebuild(one as object);
    expect((await call('GET', '/bot/flaky')).body.files).toHaveLength(1);
  });

  it('null characters: stored by SQLite, refused where PostgreSQL can’t', async () => {
    await put('nulls', [['a\0b.txt', 'text']]);
    for (const [method, path, body] of [
      ['GET', '/bot/nulls/document/a%00b.txt', undefined],
      ['DELETE', '/bot/nulls/document/a%00b.txt', undefined],
      ['GET', '/bot/nulls/command/%00', undefined],
      ['PATCH', '/bot/nulls', { user_story: 'a\0b' }],
      ['PUT', '/bot/nulls/questions', { questions: [{ question: 'a\0b', answer: null }] }],
    ] as const) {
      const { status } = await call(method, path, body);
      expect([200, 400, 404]).toContain(status);
    }
    expect((await call('GET', '/bot/nulls')).body.files).toEqual(['/documents/nulls/a%20b.txt']);
  });

  it('keeps the service collection in step', async () => {
    await put('info', [['a', 'a']]);
    const named = async () => (await index.vectors.list()).find(({ name }) => name === 'botsinfo')?.points;
    const before = await named();
    expect(before).toBe(Object.keys((await call('GET', '/bots')).body).length);
    await index.done('info', call('DELETE', '/bot/info'));
    expect(await named()).toBe((before ?? 0) - 1);
    for (const [method, path] of [
      ['DELETE', '/bot/botsinfo'],
      ['GET', '/bot/botsinfo'],
      ['PUT', '/bot/botsinfo'],
    ] as const) {
      expect((await call(method, path)).status).toBe(422);
    }
  });

  it('changes settings and questions, cleans greetings, and records who did what', async () => {
    await put('set', [['a', 'a']]);
    const greeting = '<p onclick="x()">Hi</p><script>alert(1)</script>';
    const changed = await call('PATCH', '/bot/set', {
      hello_text: greeting,
      support_n: 3,
      example_questions: ['Why?'],
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { hello_text: '<p>Hi</p>', support_n: 3, retrive_n: 30, example_questions: ['Why?'] },
    });
    for (const bad of [{}, { retrive_n: 0 }, { name: 'x' }, { support_n: 'many' }]) {
      expect((await call('PATCH', '/bot/set', bad)).status).toBe(422);
    }
    expect((await call('PATCH', '/bot/nobody', { support_n: 3 })).status).toBe(404);
    const questions = [
      { question: 'Who?', answer: 'Anna', document: 'a', page: 1 },
      { question: 'What?', answer: null, document: null, page: null },
    ];
    expect(await call('PUT', '/bot/set/questions', { questions })).toEqual({
      status: 200,
      body: { questions },
    });
    expect((await call('GET', '/bot/set/questions/')).body).toEqual({ questions });
    const add = form([['b', 'b']], {}, 'file');
    expect((await index.done('set', call('PUT', '/bot/set/document', add))).result?.regression).toMatchObject(
      { passed: 2 },
    );
    expect((await index.done('set', call('DELETE', '/bot/set/document/a'))).result?.regression).toEqual({
      questions: 2,
      passed: 1,
      worse: [{ question: 'Who?', reason: 'its document is gone' }],
    });
    await index.done('set', call('DELETE', '/bot/set'));
    const { entries } = await listAudit(index, { limit: 1000 });
    const actions = entries.filter(({ subject, details }) => subject === 'set' || details.bot === 'set');
    expect(actions.map(({ action, actor, outcome }) => [action, actor.name, outcome])).toEqual([
      ['bot.delete', 'анна', 'accepted'],
      ['document.delete', 'анна', 'accepted'],
      ['document.add', 'анна', 'accepted'],
      ['bot.questions', 'анна', 'done'],
      ['bot.change', 'анна', 'done'],
      ['bot.create', 'анна', 'accepted'],
    ]);
  });
});

describe('commands that wait', () => {
  let index: IndexPlatform;
  beforeAll(async () => {
    index = await openIndexPlatform({ run: false, index: { parallel_commands: 1 } });
  });
  afterAll(() => index?.close());

  it('refuses what is busy, cancels, keeps order, and holds back what is not due', async () => {
    const { call } = index;
    const files = form([['a.txt', 'a']]);
    const accepted = async (...input: Parameters<typeof call>): Promise<string> => {
      const { status, body } = await call(...input);
      expect(status, JSON.stringify(body)).toBe(202);
      return body.command_id;
    };
    const later = await accepted(
      'PUT',
      '/bot/later',
      form([['a', 'a']], { time_to_eval: '2999-01-01 00:00', sync: '1' }),
    );
    const first = await accepted('PUT', '/bot/one', files);
    const busy = expect.stringMatching(/^bot 'one' is busy: command .* \(create_bot\) has not ended$/);
    for (const [method, path, body] of [
      ['PUT', '/bot/one', files],
      ['DELETE', '/bot/one', undefined],
      ['PUT', '/bot/one/urls', fields({ urls: '{"type":"direct_link","url":"https://x.org/a"}' })],
      ['PUT', '/bot/one/document', form([['b', 'b']], {}, 'file')],
      ['PUT', '/bot/one/document_by_url', fields({ url: 'https://x.org/a' })],
      ['DELETE', '/bot/one/document/a.txt', undefined],
    ] as const) {
      expect(await call(method, path, body), `${method} ${path}`).toEqual({
        status: 409,
        body: { error: busy },
      });
    }
    expect((await call('GET', `/bot/one/command/${first}`)).body).toMatchObject({
      status: 'pending',
      result: null,
    });
    expect((await call('GET', '/bot/one/documents')).body).toMatchObject([
      { name: 'a.txt', status: 'pending' },
    ]);
    expect((await call('GET', '/bot/one')).body).toMatchObject({ status: 'creating', files: [] });
    expect((await call('GET', `/bot/two/command/${first}`)).body).toEqual({ error: 'not found' });

    expect(await call('DELETE', `/bot/one/command/${first}`)).toMatchObject({
      status: 200,
      body: { status: 'canceled' },
    });
    expect((await call('DELETE', `/bot/one/command/${first}`)).status).toBe(409);
    expect((await call('GET', '/bot/one')).status).toBe(404);
    // It can be created again before the clean-up has run.
    const again = await accepted('PUT', '/bot/one', form([['b.txt', 'b']]));
    const second = await accepted('PUT', '/bot/two', form([['b', 'b']]));
    const fourth = await accepted('PUT', '/bot/four', form([['d', 'd']]));
    const urgent = await accepted('PUT', '/bot/three', form([['c', 'c']], { sync: '1' }));

    index.runner.start();
    const all = await Promise.all([
      index.ended('three', urgent),
      index.ended('two', second),
      index.ended('four', fourth),
      index.ended('one', again),
    ]);
    expect(all.map(({ status }) => status)).toEqual(Array(4).fill('complete'));
    const starts = all.slice(0, 3).map(({ started_at }) => Date.parse(started_at ?? ''));
    expect(starts).toEqual(starts.toSorted((one, other) => one - other));
    expect((await call('GET', '/bot/one/documents')).body).toMatchObject([{ name: 'b.txt' }]);
    expect((await call('GET', `/bot/later/command/${later}`)).body).toMatchObject({
      status: 'pending',
      started_at: null,
    });
    await call('DELETE', `/bot/later/command/${later}`);
    await index.idle();
    const { rows, files: blobs } = await index.stored();
    expect(rows.map(({ bot, name }) => [bot, name])).toEqual([
      ['one', 'b.txt'],
      ['two', 'b'],
      ['four', 'd'],
      ['three', 'c'],
    ]);
    expect(blobs).toHaveLength(4);
  });
});

describe('commands that run', () => {
  let pause = 0;
  let index: IndexPlatform;
  beforeAll(async () => {
    index = await openIndexPlatform({ pace: () => pause });
  });
  afterAll(() => index?.close());

  it('shows progress, lets other documents change, and cancels without a trace', async () => {
    const { call } = index;
    const add = (name: string, content: string) =>
      call('PUT', '/bot/slow/document', form([[name, content]], {}, 'file'));
    await index.done('slow', call('PUT', '/bot/slow', form([['old', 'old\n\ntext']])));
    const before = await index.stored();
    pause = 20;
    const long = Array.from({ length: 1_000 }, (_, number) => `paragraph ${number}`).join('\n\n');
    const { body } = await add('old', long);
    const progress = await until('progress', async () => {
      const status = (await call('GET', `/bot/slow/command/${body.command_id}`)).body;
      return status.progress?.current_document.complete > 1 ? status.progress : undefined;
    });
    expect(progress).toMatchObject({
      documents: { total: 1, complete: 0 },
      current_document: { total: 1_000 },
    });
    expect((await call('GET', '/bot/slow/document/old')).body.status).toBe('processing');
    expect((await add('old', 'x')).body.error).toMatch(/^document 'old' is busy/);
    expect((await call('DELETE', '/bot/slow/document/old')).status).toBe(409);
    expect((await call('DELETE', '/bot/slow')).status).toBe(409);
    const other = await add('other', 'y');
    expect(other.status).toBe(202);
    expect((await call('DELETE', `/bot/slow/command/${body.command_id}`)).body).toMatchObject({
      status: 'canceled',
    });
    expect(await index.ended('slow', other.body.command_id)).toMatchObject({ status: 'complete' });
    await index.done('slow', call('DELETE', '/bot/slow/document/other'));
    await index.idle();
    const without = ({ rows, ...rest }: typeof before) => ({
      ...rest,
      rows: rows.map(({ command, ...row }) => row),
    });
    expect(without(await index.stored())).toEqual(without(before));
    pause = 0;
  });

  it('tries again while the models are away, then gives up and leaves nothing', async () => {
    await index.done('away', index.call('PUT', '/bot/away', form([['a', 'a']])));
    const { body } = await index.call('PUT', '/bot/away/document', form([['b', 'UNAVAILABLE']], {}, 'file'));
    const waiting = await until(
      'a second attempt',
      async () => (await index.queue.get(body.command_id)).attempts > 1,
    );
    expect(waiting).toBe(true);
    expect((await index.call('GET', `/bot/away/command/${body.command_id}`)).body.status).toBe('processing');
    await index.call('DELETE', `/bot/away/command/${body.command_id}`);
    await index.idle();
    expect((await index.call('GET', '/bot/away/documents')).body).toMatchObject([
      { name: 'a', status: 'complete' },
    ]);
  });
});

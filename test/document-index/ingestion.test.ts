import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PassageSegment } from '../../src/contracts/retrieval.ts';
import type { StoredChunk } from '../../src/document-index/ingestion/chunks-store.ts';
import { reembedBot } from '../../src/document-index/ingestion/collections/reembed-bot.ts';
import { describeBot } from '../../src/document-index/ingestion/describe-bot.ts';
import { removeVersions } from '../../src/document-index/ingestion/remove-versions.ts';
import type { StoredVersion } from '../../src/document-index/ingestion/versions/versions-store.ts';
import { createInference } from '../../src/platform/inference/inference.ts';
import type { Hit } from '../../src/platform/vectors/vector-store.ts';
import { type IngestionSite, openIngestionSite } from '../testkit/document-index/ingestion.ts';
import { docx, xlsx } from '../testkit/documents/office-files.ts';
import { browserRequirement, openBrowser } from '../testkit/machine/browser.ts';
import { inputsOf, startEmbeddingPod, wordVector } from '../testkit/pods/embedding-pod.ts';
import { answerJson, type MockPod } from '../testkit/pods/mock-pod.ts';
import { until } from '../testkit/until.ts';

let site: IngestionSite;
let pod: MockPod;
beforeAll(async () => {
  site = await openIngestionSite();
});
afterAll(() => site?.close());

const reporting = new Map<string, NodeJS.Timeout>();

/** Reports a pod again and again, as pods do: those that are silent for long get no requests. */
async function serve(model_name: string, { url }: MockPod): Promise<void> {
  const report = () =>
    site.dispatcher.report({ pod_id: model_name, task: 'embeddings', model_name, pod_address: url });
  clearInterval(reporting.get(model_name));
  reporting.set(
    model_name,
    setInterval(() => void report().catch(() => undefined), 5_000),
  );
  await report();
}

async function stopServing(model_name: string): Promise<void> {
  clearInterval(reporting.get(model_name));
  await site.dispatcher.report({ pod_id: model_name, task: 'embeddings', model_name, dead: true });
}

beforeEach(async () => {
  pod = await startEmbeddingPod();
  await serve('emb', pod);
});
afterEach(async () => {
  await stopServing('emb');
  await pod.kill().catch(() => undefined);
});

const chunksOf = (document: StoredVersion): Promise<StoredChunk[]> =>
  site.database.query
    .selectFrom('bot_chunks')
    .selectAll()
    .where('document', '=', document.id)
    .orderBy('position')
    .execute();
const segmentsOf = ({ segments_json }: StoredChunk) => JSON.parse(segments_json) as PassageSegment[];
const countPoints = async (document: StoredVersion) =>
  (await site.vectors.count(document.bot)).get(document.id) ?? 0;

/** Its points that have vectors, as a search finds them. */
async function densePoints(document: StoredVersion, dimensions = 64): Promise<Hit[]> {
  const vector = new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions));
  const query = { vector, terms: new Uint32Array(), limit: 1_000, groups: [document.id] };
  const hits = await site.vectors.search(document.bot, query);
  return hits.filter(({ dense }) => dense !== null);
}
const setState = (document: StoredVersion, state: StoredVersion['state']) =>
  site.database.query.updateTable('bot_documents').set({ state }).where('id', '=', document.id).execute();

/** A text of many chunks, with a word that occurs nowhere else. */
const longText = (word: string, paragraphs = 150) =>
  Array.from(
    { length: paragraphs },
    (_, at) =>
      `# Section ${at}\n\nThe ${word} of paragraph ${at} describes how the regional office handles request ${at * 7}. ${'It is kept for later reference. '.repeat(20)}`,
  ).join('\n\n');

const sentence = (at: number) =>
  `Предложение номер ${at} рассказывает о порядке оформления отпуска сотрудников предприятия в ${2000 + at} году.`;
const paragraphs = (count: number, from: number) =>
  Array.from(
    { length: count },
    (_, at) => `<p>${Array.from({ length: 8 }, (_, one) => sentence(from + at * 8 + one)).join(' ')}</p>`,
  ).join('');
const rows = Array.from(
  { length: 130 },
  (_, at) => `<tr><td>Деталь ${at}</td><td>АБ-${1000 + at}</td><td>${at * 3} руб.</td></tr>`,
).join('');
const report = `<html lang=ru><style>body{font:12pt "Liberation Serif"}table{border-collapse:collapse}
td,th{border:1px solid #333;padding:2pt 4pt;font-size:9pt}</style><h1>Положение об отпусках</h1>${paragraphs(6, 0)}
<h2>Цены</h2><table><thead><tr><th>Название</th><th>Код</th><th>Цена</th></tr></thead>${rows}</table></html>`;

describe.runIf(browserRequirement.available)('a PDF file in Russian', () => {
  let document: StoredVersion;
  let chunks: StoredChunk[];
  let pages: Map<number, string>;

  /** The text of each page, read alone, without white space. */
  async function readPages(path: string, count: number): Promise<Map<number, string>> {
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    const texts = numbers.map(async (page): Promise<[number, string]> => {
      let text = '';
      const range = { pages: { first: page, last: page } };
      for await (const element of site.deps.documents.read({ path, name: 'a.pdf' }, range)) {
        text += element.text;
      }
      return [page, text.replace(/\s+/gu, '')];
    });
    return new Map(await Promise.all(texts));
  }

  beforeAll(async () => {
    const embedder = await startEmbeddingPod();
    await serve('emb', embedder);
    const browser = await openBrowser();
    const page = await browser.newPage();
    await page.setContent(report);
    const pdf = await page.pdf({
      format: 'A4',
      displayHeaderFooter: true,
      headerTemplate: '<span style="font-size:9px;margin-left:40px">ООО Ромашка</span>',
      footerTemplate: '<span style="font-size:9px;margin-left:40px" class="pageNumber"></span>',
      margin: { top: '60px', bottom: '60px', left: '40px', right: '40px' },
    });
    await browser.close();
    document = await site.addFile('hr', 'Отпуск.pdf', pdf);
    await site.ingest(document);
    document = (await site.version(document.id)) as StoredVersion;
    chunks = await chunksOf(document);
    pages = await readPages(site.deps.blobs.localPath?.(document.blob ?? '') ?? '', document.pages ?? 0);
    await stopServing('emb');
    await embedder.kill();
  }, 400_000);

  it('is built with title, pages and languages', () => {
    expect(document).toMatchObject({
      state: 'built',
      title: 'Положение об отпусках',
      type: 'application/pdf',
      languages_json: '["rus"]',
      chunks: chunks.length,
      embedded: chunks.length,
    });
    expect(document.pages).toBeGreaterThan(3);
    expect(chunks.every(({ language }) => language === 'rus')).toBe(true);
  });

  it('is found by words and by vectors', async () => {
    expect(await countPoints(document)).toBe(chunks.length);
    expect(await densePoints(document)).toHaveLength(chunks.length);
    const terms = site.deps.termsOf('АБ 1077').terms;
    const [best] = await site.vectors.search('hr', { terms, limit: 1 });
    expect(chunks.find(({ id }) => id === best?.id)?.text).toContain('АБ-1077');
  });

  it('each segment stands word for word on its page, and together they cover the text', () => {
    for (const chunk of chunks) {
      const segments = segmentsOf(chunk);
      for (const { start, end, page, boxes } of segments) {
        const words = chunk.text.slice(start, end).replace(/\s+/gu, '');
        expect(words).not.toBe('');
        expect(pages.get(page ?? 0)).toContain(words);
        expect(boxes.map((box) => box.page)).toEqual([page]);
      }
      const covered = segments.map(({ start, end }) => chunk.text.slice(start, end)).join('');
      expect(covered.replace(/\s+/gu, '')).toBe(chunk.text.replace(/\s+/gu, ''));
      expect(chunk.page).not.toBeNull();
    }
    expect(chunks.some((chunk) => new Set(segmentsOf(chunk).map(({ page }) => page)).size > 1)).toBe(true);
  });

  it('splits a long table over pages between rows, with its header in each part', () => {
    const parts = chunks.filter(({ kind }) => kind === 'table');
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) {
      expect(part.text.split('\n')[0]).toBe('Название Код Цена');
      expect(part.markdown).toMatch(/^\| Название \| Код \| Цена \|\n\| --- \| --- \| --- \|\n\| Деталь /);
      expect(part.context).toBe('Положение об отпусках › Цены');
      expect(part.text.length).toBeLessThanOrEqual(1_200);
    }
    const all = parts.flatMap(({ text }) => text.split('\n').slice(1));
    expect(all).toHaveLength(130);
    expect(new Set(all).size).toBe(130);
  });

  it('does not index headers, footers and page numbers', () => {
    expect(chunks.some(({ text }) => /Ромашка|^\d+$/m.test(text))).toBe(false);
  });
});

describe('other formats', () => {
  it('keeps small tables whole, names the sheet, and says who sent a mail', async () => {
    const word = await site.addFile('office', 'Отчёт.docx', docx());
    const sheet = await site.addFile('office', 'a.xlsx', xlsx());
    const mail = await site.addFile(
      'office',
      'b.eml',
      'From: Anna <anna@example.com>\r\nSubject: Offer\r\nDate: Mon, 1 Jun 2026 10:00:00 +0300\r\nContent-Type: text/plain\r\n\r\nThe price is 500 roubles per unit, including delivery.\r\n',
    );
    for (const document of [word, sheet, mail]) await site.ingest(document);
    const [first, table] = await chunksOf(word);
    expect(first).toMatchObject({ kind: 'text', context: 'Отчёт', headings_json: '["Отчёт"]', page: 1 });
    expect(table).toMatchObject({ kind: 'table', text: 'Город Сумма\n2024 2025\nПсков 1 < 2 3' });
    expect((await chunksOf(sheet))[0]?.context).toBe('Отчёт за год › Лист 1');
    expect((await chunksOf(mail))[0]?.context).toBe('Offer › Anna <anna@example.com>, 2026-06-01');
    expect((await site.version(mail.id))?.title).toBe('Offer');
  });

  it('reads files of a store that is elsewhere from a copy, which it removes', async () => {
    const document = await site.addFile('elsewhere', 'a.md', '# Far\n\nThe text is far away.');
    const { blobs } = site.deps;
    const before = readdirSync(site.folder);
    const { localPath: _, ...remote } = blobs;
    site.deps.blobs = remote;
    await site.ingest(document).finally(() => {
      site.deps.blobs = blobs;
    });
    expect((await chunksOf(document)).map(({ text }) => text)).toEqual(['Far\n\nThe text is far away.']);
    expect(readdirSync(site.folder)).toEqual(before);
  });

  it.each([
    ['locked.pdf', () => readFileSync('test/fixtures/documents/locked.pdf'), { reason: 'encrypted' }],
    ['broken.docx', () => Buffer.from('PK\u0003\u0004 not a file'), { name: 'Unreadable' }],
    ['blank.txt', () => ' \n \n', { reason: 'empty' }],
    ['signs.md', () => '---\n\n***\n\n…', { reason: 'empty' }],
  ])('fails for %s alone', async (name, content, problem) => {
    const document = await site.addFile('bad', name, content());
    await expect(site.ingest(document)).rejects.toMatchObject(problem);
    expect((await site.version(document.id))?.state).toBe('processing');
    expect(await chunksOf(document)).toEqual([]);
  });
});

describe('interruptions', () => {
  it('a run that stops between batches goes on with the next one, without reading the file again', async () => {
    const document = await site.addFile('crash', 'a.md', longText('lantern'));
    const { vectors, documents } = site.deps;
    let [upserts, reads] = [0, 0];
    const counting = {
      read(...args: Parameters<typeof documents.read>) {
        reads++;
        return documents.read(...args);
      },
    };
    Object.assign(site.deps, {
      documents: counting,
      vectors: {
        ...vectors,
        async upsert(...args: Parameters<typeof vectors.upsert>) {
          if (++upserts === 2) throw new Error('the process has died');
          await vectors.upsert(...args);
        },
      },
    });
    try {
      await expect(site.ingest(document)).rejects.toThrow('the process has died');
      const left = await site.version(document.id);
      expect(left).toMatchObject({ state: 'processing', chunks: 150 });
      expect(left?.embedded).toBeGreaterThan(0);
      const seen = pod.requests.flatMap(inputsOf).length;
      await site.ingest(document);
      expect(reads).toBe(1);
      expect(pod.requests.flatMap(inputsOf).length - seen).toBeLessThanOrEqual(151 - (left?.embedded ?? 0));
    } finally {
      Object.assign(site.deps, { vectors, documents });
    }
    expect(await site.version(document.id)).toMatchObject({ state: 'built', embedded: 150 });
    expect(await countPoints(document)).toBe(150);
    await site.ingest(document);
  });

  it('chunks of a reading that was cut off are replaced', async () => {
    const document = await site.addFile('crash', 'b.md', '# Title\n\nThe whole text.');
    const row = { bot: 'crash', document: document.id, kind: 'text' as const, context: '', markdown: null };
    await site.database.query
      .insertInto('bot_chunks')
      .values({
        ...row,
        position: 0,
        text: 'half',
        headings_json: '[]',
        page: null,
        segments_json: '[]',
        language: null,
      })
      .execute();
    await site.ingest(document);
    expect((await chunksOf(document)).map(({ text }) => text)).toEqual(['Title\n\nThe whole text.']);
  });

  it('waits while the model is away, and goes on when it is back', async () => {
    const document = await site.addFile('away', 'a.md', longText('compass'));
    const answer = pod.answer;
    let killed: Promise<void> | undefined;
    pod.answer = (request, response) => {
      if (pod.requests.length < 5) return answer(request, response);
      killed ??= pod.kill();
    };
    const ingesting = site.ingest(document);
    await until('the pod is away', () => killed !== undefined);
    await killed;
    const before = await until('what was embedded is kept', async () => {
      const { embedded = 0 } = (await site.version(document.id)) ?? {};
      return embedded > 0 && embedded;
    });
    expect(before).toBeLessThan(150);
    pod.answer = answer;
    await pod.revive();
    await serve('emb', pod);
    await ingesting;
    expect(await densePoints(document)).toHaveLength(150);
  });

  it('goes on with words alone when another model has taken its place', async () => {
    const document = await site.addFile('replaced', 'a.md', '# One\n\nThe text of the first chapter.');
    await stopServing('emb');
    const other = await startEmbeddingPod(32);
    await serve('other', other);
    await site.ingest(document, { model: { name: 'gone', dimensions: 64 } });
    expect([await countPoints(document), await densePoints(document)]).toEqual([1, []]);
    // The next document must not mix with it; the first one of an empty bot may have another model.
    const second = await site.addFile('replaced', 'b.md', '# Two\n\nThe text of the second chapter.');
    await site.ingest(second);
    expect(await densePoints(second)).toEqual([]);
    await removeVersions(site.deps, {
      bot: 'replaced',
      collection: 'replaced',
      ids: [document.id, second.id],
    });
    const third = await site.addFile('replaced', 'c.md', '# Three\n\nThe text of the third chapter.');
    await site.ingest(third);
    expect(await densePoints(third, 32)).toHaveLength(1);
    await stopServing('other');
    await other.kill();
  });

  it('shortens texts for a server that refuses long ones', async () => {
    const document = await site.addFile('long', 'a.md', `# Long\n\n${'Words of a long text. '.repeat(50)}`);
    const answer = pod.answer;
    pod.answer = (request, response) =>
      inputsOf(request).some((text) => text.length > 400)
        ? answerJson({ error: { message: 'too long', code: 'context_length_exceeded' } }, 400)(
            request,
            response,
          )
        : answer(request, response);
    await site.ingest(document);
    expect(await densePoints(document)).toHaveLength(await countPoints(document));
  });

  it('a cancelled document leaves no trace once it is removed', async () => {
    const keep = await site.addFile('cancel', 'keep.md', '# Kept\n\nThis text stays.');
    await site.ingest(keep);
    const document = await site.addFile('cancel', 'a.md', longText('xylotheque'));
    const stop = new AbortController();
    const cancelled = site.ingest(document, {
      signal: stop.signal,
      onProgress: ({ done }) => done > 0 && stop.abort(new Error('cancelled')),
    });
    await expect(cancelled).rejects.toThrow('cancelled');
    const points = await countPoints(document);
    expect(points).toBeGreaterThan(0);
    const removal = { bot: 'cancel', collection: 'cancel', ids: [document.id] };
    expect(await removeVersions(site.deps, removal)).toEqual({
      chunks: 150,
      vectors: points,
      full_text_entries: points,
      files: 1,
    });
    expect(await removeVersions(site.deps, removal)).toMatchObject({ chunks: 0, vectors: 0, files: 0 });
    const found = spawnSync('grep', ['-rlai', 'xylotheque', site.folder], { encoding: 'utf8' });
    expect(found).toMatchObject({ status: 1, stdout: '' });
    expect(await site.version(document.id)).toBeUndefined();
    expect(await countPoints(keep)).toBe(1);
  });
});

it('gives a bot a greeting and example questions, and keeps what an operator has set', async () => {
  const document = await site.addFile(
    'described',
    'a.md',
    '# Устав\n\n## Порядок оплаты\n\nОплата производится сразу и в полном объёме.',
  );
  await site.ingest(document);
  const inference = createInference({ transport: site.dispatcher.localTransport, ownKey: undefined });
  const probe = { knownLanguages: async () => new Map([['rus', 0.2]]) };
  const deps = { database: site.database, inference, chatModel: async () => 'no-such-model', probe };
  const signal = AbortSignal.timeout(60_000);
  const read = () =>
    site.database.query
      .selectFrom('bots')
      .select(['hello_text', 'example_questions_json', 'notes_json'])
      .where('id', '=', 'described')
      .executeTakeFirst();
  await site.database.query
    .updateTable('bots')
    .set({ hello_text: 'Mine' })
    .where('id', '=', 'described')
    .execute();
  await describeBot(deps, { bot: 'described', signal });
  const questions = ['Что сказано в разделе «Порядок оплаты»?', 'О чём документ «Устав»?'];
  expect(await read()).toMatchObject({
    hello_text: 'Mine',
    example_questions_json: JSON.stringify(questions),
  });
  await site.database.query
    .updateTable('bots')
    .set({ hello_text: '' })
    .where('id', '=', 'described')
    .execute();
  await describeBot(deps, { bot: 'described', signal });
  const hello_text = '<p>Здравствуйте! Я отвечаю на вопросы по документам: «Устав».</p>';
  const note =
    "the embeddings model 'emb' does not know Russian: Russian text is found by words alone until a multilingual model is deployed";
  expect(await read()).toMatchObject({ hello_text, notes_json: JSON.stringify([note]) });
  const removal = { bot: 'described', collection: 'described', ids: [document.id] };
  await removeVersions(site.deps, removal);
  expect(await read()).toMatchObject({ hello_text: '', example_questions_json: '[]' });
});

describe('versions', () => {
  it('prepares a new version beside the one that answers, and removes only the old one', async () => {
    const old = await site.addFile('swap', 'a.md', '# Price\n\nThe price is 100.');
    await site.ingest(old);
    await setState(old, 'active');
    const fresh = await site.addFile('swap', 'a.md', '# Price\n\nThe price is 200.');
    await site.ingest(fresh);
    expect([await countPoints(old), await countPoints(fresh)]).toEqual([1, 1]);
    expect((await site.version(old.id))?.state).toBe('active');
    await setState(old, 'retired');
    await setState(fresh, 'active');
    await removeVersions(site.deps, { bot: 'swap', collection: 'swap', ids: [old.id] });
    expect(await site.vectors.count('swap')).toEqual(new Map([[fresh.id, 1]]));
  });

  it('gives sentences vectors of their own where that is wanted', async () => {
    const document = await site.addFile('sentences', 'a.md', `# One\n\n${sentence(1)} ${sentence(2)} Да.`);
    site.deps.sentences = true;
    await site.ingest(document).finally(() => {
      site.deps.sentences = false;
    });
    const vector = Float32Array.from(wordVector(sentence(2), 64));
    const length = Math.hypot(...vector);
    const query = { vector: vector.map((value) => value / length), terms: new Uint32Array(), limit: 1 };
    const [hit] = await site.vectors.search('sentences', query);
    expect(hit?.sentence).toBeGreaterThan(0.97);
    expect(hit?.dense).toBeLessThan(0.97);
  });
});

describe('another embeddings model', () => {
  const bot = (id: string) =>
    site.database.query.selectFrom('bots').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const reembed = (id: string, deps = site.deps) =>
    reembedBot(deps, { bot: id, signal: AbortSignal.timeout(60_000), onProgress: () => undefined, grace: 0 });

  it('embeds documents later that were added without a model', async () => {
    const document = await site.addFile('later', 'a.md', longText('sextant', 20));
    await site.ingest(document, { model: null });
    expect([await countPoints(document), await densePoints(document)]).toEqual([20, []]);
    expect(await reembed('later')).toEqual({ name: 'emb', dimensions: 64 });
    expect(await densePoints(document)).toHaveLength(20);
    expect(await bot('later')).toMatchObject({
      collection: 'later',
      embeddings_model: 'emb',
      dimensions: 64,
    });
  });

  it('moves a bot to the new model, whatever step is cut off, with documents added meanwhile', async () => {
    const documents = [
      await site.addFile('move', 'a.md', longText('astrolabe', 30)),
      await site.addFile('move', 'b.md', longText('quadrant', 30)),
    ];
    for (const document of documents) {
      await site.ingest(document);
      await setState(document, 'active');
    }
    await stopServing('emb');
    const other = await startEmbeddingPod(32);
    await serve('other', other);
    let added: StoredVersion | undefined;
    let [steps, failAt] = [0, 0];
    const { vectors } = site.deps;
    const step = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      if (++steps === failAt) throw new Error('the process has died');
      return work();
    };
    const fragile = {
      ...site.deps,
      vectors: {
        ...vectors,
        ensure: (...args: Parameters<typeof vectors.ensure>) => step(() => vectors.ensure(...args)),
        upsert: (...args: Parameters<typeof vectors.upsert>) => step(() => vectors.upsert(...args)),
        copy: (...args: Parameters<typeof vectors.copy>) => step(() => vectors.copy(...args)),
        drop: (...args: Parameters<typeof vectors.drop>) => step(() => vectors.drop(...args)),
      },
    };
    for (failAt = 1; ; failAt++) {
      steps = 0;
      const outcome = await reembed('move', fragile).catch((error: Error) => error);
      const { collection } = await bot('move');
      const counts = await site.vectors.count(collection);
      expect([...counts.values()]).toEqual(added ? [30, 30, 30] : [30, 30]);
      if (!(outcome instanceof Error)) break;
      if (failAt === 4) {
        added = await site.addFile('move', 'c.md', longText('octant', 30));
        await site.ingest(added);
      }
    }
    expect(failAt).toBeGreaterThan(4);
    expect(await bot('move')).toMatchObject({
      collection: 'move',
      embeddings_model: 'other',
      dimensions: 32,
    });
    for (const document of documents) expect(await densePoints(document, 32)).toHaveLength(30);
    expect((await site.vectors.list()).map(({ name }) => name)).not.toContain('move.next');
    await stopServing('other');
    await other.kill();
  });
});

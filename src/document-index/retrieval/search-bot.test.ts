import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEachDatabase } from '../../../test/testkit/stores/databases.ts';
import { openDatabase } from '../../../test/testkit/stores/open-database.ts';
import { Unavailable } from '../../contracts/problems.ts';
import type { BotQuery } from '../../contracts/retrieval.ts';
import type { Database } from '../../platform/database/database.ts';
import { silentLogger } from '../../platform/telemetry/logger.ts';
import { openEmbeddedVectors } from '../../platform/vectors/embedded/embedded-vectors.ts';
import type { VectorStore } from '../../platform/vectors/vector-store.ts';
import { termsOf } from '../analysis/terms.ts';
import type { BotRow } from '../tables.ts';
import { type SearchDependencies, searchBot } from './search-bot.ts';
import { openModelScales } from './similarity/scale-model.ts';
import { openTranslator } from './similarity/translate-words.ts';

const dimensions = 512;

/** Stands in for a model: texts that share words have similar vectors. */
function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(dimensions);
  const { terms, counts } = termsOf(text);
  for (const [at, term] of terms.entries())
    vector[term % dimensions] = (vector[term % dimensions] ?? 0) + (counts[at] ?? 0);
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

const embed: SearchDependencies['inference']['embed'] = async function* (texts) {
  const all: string[] = [];
  for await (const text of texts) all.push(text);
  yield { start: 0, texts: all, vectors: all.map(vectorOf), usage: undefined };
};
const away: SearchDependencies['inference']['embed'] = async function* () {
  yield* [];
  throw new Unavailable('no pod serves it');
};

const bot: BotRow = {
  id: 'manuals',
  state: 'ready',
  creator: 'test',
  user_story: '',
  hello_text: '',
  retrive_n: 10,
  support_n: 3,
  example_questions_json: '[]',
  collection: 'manuals',
  embeddings_model: 'words',
  dimensions,
  notes_json: '[]',
  sync_every: null,
  sync_due_at: null,
  created_at: 0,
  changed_at: 0,
};

const documents: Record<
  string,
  { state?: 'active' | 'retired' | 'built'; url?: string; language?: string; texts: string[] }
> = {
  'pump.pdf': {
    url: 'https://example.org/pump.pdf',
    texts: [
      'Before the pump TP-400/2 is started, open the suction valve. Check that the tank is full.',
      'Check that the tank is full. The pump reaches a pressure of six bar after ten seconds.',
      'The warranty of the pump lasts 24 months from the day of delivery.',
      'Spare parts are ordered from the service in Riga by telephone.',
    ],
  },
  constructor: { texts: ['Bread is baked at night. The bakery employs forty people.'] },
  'copy of pump.pdf': { texts: ['The warranty of the pump lasts 24 months from the day of delivery!'] },
  'насос.docx': {
    language: 'rus',
    texts: ['Гарантия на насос действует два года со дня поставки.', 'Масло меняют каждые полгода.'],
  },
  'old pump.pdf': {
    state: 'retired',
    texts: ['The warranty of the pump lasts 12 months from the day of delivery.'],
  },
  'new pump.pdf': {
    state: 'built',
    texts: ['The warranty of the pump lasts 60 months from the day of delivery.'],
  },
};

async function fill(database: Database, vectors: VectorStore): Promise<void> {
  await database.query.insertInto('bots').values(bot).execute();
  await vectors.ensure(bot.collection, { dimensions });
  for (const [name, { state = 'active', url = null, language = 'eng', texts }] of Object.entries(documents)) {
    const { id: document } = await database.query
      .insertInto('bot_documents')
      .values({ bot: bot.id, name, url, state, languages_json: '[]', embedded: 0, created_at: 0 })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const [position, text] of texts.entries()) {
      const page = position + 1;
      const segments_json = JSON.stringify([{ start: 0, end: text.length, page, boxes: [] }]);
      const { id } = await database.query
        .insertInto('bot_chunks')
        .values({
          bot: bot.id,
          document,
          position,
          kind: 'text',
          text,
          context: '',
          headings_json: '[]',
          page,
          segments_json,
          language,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await vectors.upsert(bot.collection, [
        { id, group: document, vector: vectorOf(text), terms: termsOf(text) },
      ]);
    }
  }
}

describeOnEachDatabase('searchBot', (databases) => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-search-'));
  const vectors = openEmbeddedVectors(
    { folder, memory: 64 * 1024 ** 2, idle: 60_000 },
    { logger: silentLogger() },
  );
  let database: Database;
  let deps: SearchDependencies;

  beforeAll(async () => {
    database = await openDatabase({ url: await databases.create() });
    await fill(database, vectors);
    const embeddingForm = () => ({ prefix: '' });
    deps = {
      database,
      vectors,
      inference: { embed, rerank: () => Promise.reject(new Error('not deployed')) },
      embeddingForm,
      knownLanguages: () => ['eng', 'rus'],
      modelScales: openModelScales({ inference: { embed }, embeddingForm }),
      translate: openTranslator({ inference: { embed }, embeddingForm }),
      rerankModel: async () => null,
      documentUri: (of, name) => `/documents/${of}/${encodeURIComponent(name)}`,
    };
  });
  afterAll(async () => {
    await vectors.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (question: string, more: Partial<BotQuery> = {}, other: Partial<SearchDependencies> = {}) =>
    searchBot(
      { ...deps, ...other },
      { bot, query: { question, credentials: 'platform', signal: AbortSignal.timeout(60_000), ...more } },
    );
  const question = 'How long does the warranty of the pump last?';

  test('finds the passage of the active version, once, and can answer', async () => {
    const { passages, answerable, confidence, language } = await ask(question);
    expect(passages[0]).toMatchObject({
      page: 3,
      language: 'eng',
      document: { uri: 'https://example.org/pump.pdf' },
    });
    expect(passages[0]?.text).toContain('24 months');
    expect(passages.filter(({ text }) => text.includes('warranty'))).toHaveLength(1);
    expect(passages.length).toBeLessThanOrEqual(3);
    expect({ answerable, language }).toEqual({ answerable: true, language: 'eng' });
    expect(confidence).toBeGreaterThan(0.5);
    for (const { score } of passages) expect(score >= 0 && score <= 1).toBe(true);
  });

  test('joins neighbours without doubling what they share, with a page per segment', async () => {
    const { passages } = await ask(
      'Which pressure does the pump reach in ten seconds, once it is started with the valve open and the tank full?',
    );
    const [first] = passages;
    expect(first?.text).toMatch(
      /^Before the pump TP-400\/2 is started.*Check that the tank is full\. The pump reaches/,
    );
    expect(first?.text.match(/tank is full/g)).toHaveLength(1);
    const pages = first?.segments.map(({ start, end, page }) => [
      first.text.slice(start, end).slice(-11),
      page,
    ]);
    expect(pages?.slice(0, 2)).toEqual([
      ['nk is full.', 1],
      ['en seconds.', 2],
    ]);
  });

  test('refuses a question that the documents say nothing about', async () => {
    for (const other of ['Which orchestra played at the opera in Milan?', 'Какой оркестр играл в Милане?']) {
      expect(await ask(other)).toMatchObject({ answerable: false });
    }
    for (const empty of ['', ' ', '???']) expect(await ask(empty)).toMatchObject({ answerable: false });
  });

  test('does not refuse a question while the points of the bot are missing', async () => {
    const lost = { ...vectors, search: async () => [], count: async () => new Map<number, number>() };
    await expect(ask(question, {}, { vectors: lost })).rejects.toThrow('being indexed again');
  });

  test('searches words alone without the model, and in a language that it does not know', async () => {
    const lexical = await ask(question, {}, { inference: { ...deps.inference, embed: away } });
    expect(lexical).toMatchObject({ answerable: true });
    expect(lexical.passages[0]?.text).toContain('24 months');
    const unknown = await ask('Сколько действует гарантия на насос?', {}, { knownLanguages: () => ['eng'] });
    expect(unknown).toMatchObject({ language: 'rus', answerable: true });
    expect(unknown.passages[0]?.document).toMatchObject({
      name: 'насос.docx',
      uri: '/documents/manuals/%D0%BD%D0%B0%D1%81%D0%BE%D1%81.docx',
    });
  });

  test('searches variants and the parts of a question', async () => {
    const { passages } = await ask('Who bakes?', {
      variants: ['How many people does the bakery employ?'],
      limit: 1,
    });
    expect(passages.map(({ document }) => document.name)).toEqual(['constructor']);
    const both = await ask('How long does the warranty last and how many people does the bakery employ?');
    const texts = both.passages.slice(0, 2).map(({ text }) => text);
    expect(texts.join()).toMatch(/24 months/);
    expect(texts.join()).toMatch(/forty people/);
  });

  test('reranks where a model is deployed, and keeps the order if it fails', async () => {
    const rerankModel = async () => 'reranker';
    const prefers = (word: string): SearchDependencies['inference'] => ({
      embed,
      rerank: async ({ documents: texts }) => ({
        results: texts.map((text, index) => ({ index, score: text.includes(word) ? 9 : -9 })),
        usage: undefined,
      }),
    });
    const pump = 'What about the pump?';
    const oil = await ask('warranty, oil or spare parts?', {}, { inference: prefers('Spare'), rerankModel });
    expect(oil.passages[0]?.text).toContain('Spare parts');
    const failing = { embed, rerank: () => Promise.reject(new Unavailable('gone')) };
    expect((await ask(pump, {}, { inference: failing, rerankModel })).passages).toEqual(
      (await ask(pump)).passages,
    );
  });

  test('a question of any length is searched', async () => {
    const { passages } = await ask(`${question} ${'Please, please answer. '.repeat(5_000)}`);
    expect(passages[0]?.text).toContain('24 months');
  });

  test('stops when the caller leaves', async () => {
    await expect(ask(question, { signal: AbortSignal.abort() })).rejects.toThrow();
  });

  test('a bot without points finds nothing', async () => {
    const query = { question, credentials: 'platform' as const, signal: AbortSignal.timeout(60_000) };
    const empty = { ...bot, id: 'empty', collection: 'empty', embeddings_model: null };
    expect(await searchBot(deps, { bot: empty, query })).toMatchObject({
      passages: [],
      confidence: 0,
      answerable: false,
    });
  });
});

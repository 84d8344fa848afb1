import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../test/testkit/stores/open-database.ts';
import type { Database } from '../../platform/database/database.ts';
import { silentLogger } from '../../platform/telemetry/logger.ts';
import { openEmbeddedVectors } from '../../platform/vectors/embedded/embedded-vectors.ts';
import { termsOf } from '../analysis/terms.ts';
import type { BotRow } from '../tables.ts';
import { type SearchDependencies, searchBot } from './search-bot.ts';
import { openModelScales } from './similarity/scale-model.ts';
import { openTranslator } from './similarity/translate-words.ts';

const dimensions = 64;
const embeddingForm = () => ({ prefix: '' });

/** Stands in for a model: the same text has the same vector. */
function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(dimensions).fill(0.01);
  for (const character of text) {
    const at = (character.codePointAt(0) ?? 0) % dimensions;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

type Inference = SearchDependencies['inference'];

const embedWith = (made: (text: string, at: number) => Float32Array): Inference['embed'] =>
  async function* (texts) {
    const all: string[] = [];
    for await (const text of texts) all.push(text);
    yield { start: 0, texts: all, vectors: all.map(made), usage: undefined };
  };

const languages = [
  ['eng', 'The pump is started with the valve open.'],
  ['rus', 'Насос запускают при открытом вентиле.'],
  ['deu', 'Die Pumpe wird bei offenem Ventil gestartet.'],
  ['fra', 'La pompe est démarrée avec la vanne ouverte.'],
  ['spa', 'La bomba se arranca con la válvula abierta.'],
  ['jpn', 'ポンプは弁を開けて始動します。'],
  ['zho', '打开阀门后启动水泵。'],
  ['ara', 'يتم تشغيل المضخة والصمام مفتوح.'],
  ['ell', 'Η αντλία ξεκινά με ανοιχτή βαλβίδα.'],
  ['tha', 'เริ่มปั๊มโดยเปิดวาล์ว'],
] as const;

const bots: Record<string, readonly (readonly [language: string | null, text: string])[]> = {
  'one chunk': [['eng', 'The warranty of the pump TP-400/2 lasts 24 months.']],
  'copies of one chunk': new Array(10_000).fill([
    'eng',
    'The warranty of the pump TP-400/2 lasts 24 months.',
  ]),
  'single words': ['pump', 'valve', 'a', 'I', 'the'].map((text) => ['eng', text]),
  numbers: ['1 2 3', '42', '3.14 2,71', '2024-05-01', '0'].map((text) => [null, text]),
  emoji: ['🙂', '🙂🙂🙃', '👩‍👩‍👧‍👦 🏳️‍🌈'].map((text) => [null, text]),
  'ten languages': languages,
};

const questions: Record<string, string> = {
  'stop words': 'What is it, and how was the one that they had been?',
  'stop words in Russian': 'Что это было и как оно там?',
  '5,000 words': 'pump valve насос '.repeat(1_667),
  'one letter': 'a',
  'a part code': 'TP-400/2',
  emoji: '🙂?',
  'a control character': '\u0000\uffff pump',
  'half of a pair': '\ud83d pump \ude00',
  'another language': 'Сколько месяцев действует гарантия на насос?',
};

describe('searchBot with odd input', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-odd-'));
  const vectors = openEmbeddedVectors(
    { folder, memory: 256 * 1024 ** 2, idle: 60_000 },
    { logger: silentLogger() },
  );
  let database: Database;
  const rows = new Map<string, BotRow>();

  beforeAll(async () => {
    database = await openDatabase({ url: `sqlite:${join(folder, 'roundhouse.db')}` });
    for (const [at, [name, chunks]] of Object.entries(bots).entries()) {
      const row = botRow(`bot-${at}`);
      rows.set(name, row);
      await fill(row, chunks);
    }
  }, 120_000);
  afterAll(async () => {
    await vectors.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function fill(row: BotRow, chunks: (typeof bots)[string]): Promise<void> {
    await database.query.insertInto('bots').values(row).execute();
    const { id: document } = await database.query
      .insertInto('bot_documents')
      .values({
        bot: row.id,
        name: 'a',
        url: null,
        state: 'active',
        languages_json: '[]',
        embedded: 0,
        created_at: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await vectors.ensure(row.collection, { dimensions });
    for (let start = 0; start < chunks.length; start += 1_000) {
      const some = chunks.slice(start, start + 1_000);
      const made = await database.query
        .insertInto('bot_chunks')
        .values(
          some.map(([language, text], at) => ({
            ...chunkRow,
            bot: row.id,
            document,
            position: 2 * (start + at),
            text,
            language,
          })),
        )
        .returning(['id', 'text'])
        .execute();
      await vectors.upsert(
        row.collection,
        made.map(({ id, text }) => ({ id, group: document, vector: vectorOf(text), terms: termsOf(text) })),
      );
    }
  }

  function search(name: string, question: string, inference: Partial<Inference> = {}, dims = dimensions) {
    const all: Inference = {
      embed: embedWith(vectorOf),
      rerank: () => Promise.reject(new Error('not deployed')),
      ...inference,
    };
    const deps: SearchDependencies = {
      database,
      vectors,
      inference: all,
      embeddingForm,
      knownLanguages: () => null,
      modelScales: openModelScales({ inference: all, embeddingForm }),
      translate: openTranslator({ inference: all, embeddingForm }),
      rerankModel: async () => (inference.rerank ? 'reranker' : null),
      documentUri: (_, of) => of,
    };
    const row = { ...(rows.get(name) as BotRow), dimensions: dims };
    const query = { question, credentials: 'platform' as const, signal: AbortSignal.timeout(60_000) };
    return searchBot(deps, { bot: row, query });
  }

  function expectFinite({ passages, confidence }: Awaited<ReturnType<typeof searchBot>>): void {
    for (const value of [confidence, ...passages.map(({ score }) => score)]) {
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1);
    }
  }

  test.each(Object.keys(bots))('%s: every question gets a finite answer', async (name) => {
    for (const question of Object.values(questions)) expectFinite(await search(name, question));
  });

  test('copies are returned once, and answer', async () => {
    const found = await search(
      'copies of one chunk',
      'How long does the warranty of the pump TP-400/2 last?',
    );
    expect(found).toMatchObject({
      answerable: true,
      passages: [{ text: expect.stringContaining('24 months') }],
    });
    expect(found.passages).toHaveLength(1);
  });

  test('a part code is found as it is written', async () => {
    expect(await search('one chunk', 'TP-400/2')).toMatchObject({ answerable: true });
  });

  test.each<[string, Inference['embed']]>([
    ['not finite', embedWith(() => new Float32Array(dimensions).fill(Number.NaN))],
    ['zero', embedWith(() => new Float32Array(dimensions))],
    ['too short', embedWith(() => new Float32Array(3).fill(1))],
    ['of changing length', embedWith((_, at) => new Float32Array(dimensions + (at % 2)).fill(1))],
    ['fewer than the texts', (_, options) => embedWith(vectorOf)([], options)],
  ])('vectors that are %s: words alone are searched', async (_, embed) => {
    const found = await search('one chunk', 'How long does the warranty of the pump last? And when?', {
      embed,
    });
    expectFinite(found);
    expect(found).toMatchObject({
      answerable: true,
      passages: [{ text: expect.stringContaining('24 months') }],
    });
  });

  const ranked =
    (...results: [index: number, score: number][]): Inference['rerank'] =>
    async () => ({ results: results.map(([index, score]) => ({ index, score })), usage: undefined });

  test.each<[string, Inference['rerank']]>([
    ['fewer results', ranked([1, 0.5])],
    ['no results', ranked()],
    ['scores that are not finite', ranked([0, Number.NaN], [1, Number.POSITIVE_INFINITY], [2, 1])],
    ['one index twice', ranked([1, 0.5], [1, 0.1], [0, 0.2])],
    ['unknown indices', ranked([99, 0.5], [-1, 0.5])],
  ])('a rerank model that returns %s', async (_, rerank) => {
    const found = await search('ten languages', 'How is the pump started?', { rerank });
    expectFinite(found);
    expect(found.passages.length).toBeGreaterThan(0);
  });
});

const botRow = (id: string): BotRow => ({
  id,
  state: 'ready',
  creator: 'test',
  user_story: '',
  hello_text: '',
  retrive_n: 10,
  support_n: 5,
  example_questions_json: '[]',
  collection: id,
  embeddings_model: 'characters',
  dimensions,
  notes_json: '[]',
  sync_every: null,
  sync_due_at: null,
  created_at: 0,
  changed_at: 0,
});

const chunkRow = { kind: 'text' as const, context: '', headings_json: '[]', page: null, segments_json: '[]' };

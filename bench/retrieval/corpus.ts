import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryTerms, termsOf } from '../../src/document-index/analysis/terms.ts';
import { embeddableTexts } from '../../src/document-index/ingestion/embedding/embeddable-texts.ts';
import { indexedText } from '../../src/document-index/ingestion/embedding/indexed-text.ts';
import type { SearchDependencies } from '../../src/document-index/retrieval/search-bot.ts';
import { openModelScales } from '../../src/document-index/retrieval/similarity/scale-model.ts';
import { openTranslator } from '../../src/document-index/retrieval/similarity/translate-words.ts';
import type { BotRow } from '../../src/document-index/tables.ts';
import type { EmbedOptions } from '../../src/platform/inference/calls/embed.ts';
import type { Inference } from '../../src/platform/inference/inference.ts';
import { silentLogger } from '../../src/platform/telemetry/logger.ts';
import { openEmbeddedVectors } from '../../src/platform/vectors/embedded/embedded-vectors.ts';
import { openDatabase } from '../../test/testkit/stores/open-database.ts';
import type { CachedEncoder } from './encoder.ts';
import type { EvaluationPassage } from './evaluation-set.ts';

const title = (document: string) => document.replace(/\.\w{1,8}$/, '').replace(/[_+]+/g, ' ');

export interface Corpus {
  bot: BotRow;
  search: SearchDependencies;
  /** The hits of both sides for a question. */
  hits(
    question: string,
    options: { dense: boolean; lexical: boolean },
  ): ReturnType<SearchDependencies['vectors']['search']>;
  /** Takes a document out of the search, or puts it back. */
  setHidden(document: string, isHidden: boolean): Promise<void>;
  close(): Promise<void>;
}

/** A bot over the passages in a real database and the embedded store, as ingestion would make it. */
export async function openCorpus(
  passages: readonly EvaluationPassage[],
  options: {
    encoder: CachedEncoder;
    language: string;
    knownLanguages: readonly string[] | null;
    rerank?: Inference['rerank'];
  },
): Promise<Corpus> {
  const { encoder, language, knownLanguages, rerank } = options;
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-retrieval-'));
  const database = await openDatabase({ url: `sqlite:${join(folder, 'roundhouse.db')}` });
  const vectors = openEmbeddedVectors(
    { folder: join(folder, 'vectors'), memory: 512 * 1024 ** 2, idle: 600_000 },
    { logger: silentLogger() },
  );
  const documents = [...new Set(passages.map(({ document }) => document))];
  const dimensions = (await encoder.embed(['dimensions'], 'query'))[0]?.length ?? 0;
  const bot = botRow(encoder.model, dimensions);
  await database.query.insertInto('bots').values(bot).execute();
  await database.query.insertInto('bot_documents').values(documents.map(documentRow)).execute();
  const indexed = passages.map((passage) => ({
    ...passage,
    context: passage.context ?? title(passage.document),
    version: documents.indexOf(passage.document) + 1,
  }));
  for (const [at, { id, version, text, context }] of indexed.entries()) {
    await database.query
      .insertInto('bot_chunks')
      // Every other position, so that passages are not joined and each can be told from the others.
      .values({ ...chunkRow, id, document: version, position: 2 * at, text, context, language })
      .execute();
  }
  await vectors.ensure(bot.collection, { dimensions });
  const points = [];
  for (const [position, { id, version, context, text }] of indexed.entries()) {
    const chunk = { position, kind: 'text' as const, context, text };
    const [vector = null, ...sentences] = await encoder.embed(embeddableTexts(chunk, true), 'document');
    points.push({ id, group: version, vector, sentences, terms: termsOf(indexedText(chunk)) });
  }
  await vectors.upsert(bot.collection, points);

  const embeddingForm: SearchDependencies['embeddingForm'] = (_, purpose) => ({ prefix: '', purpose });
  const inference = {
    async *embed(
      texts: Iterable<string> | AsyncIterable<string>,
      { purpose = 'query' }: EmbedOptions & { purpose?: 'query' | 'document' },
    ) {
      const all: string[] = [];
      for await (const text of texts) all.push(text);
      yield { start: 0, texts: all, vectors: await encoder.embed(all, purpose), usage: undefined };
    },
    rerank: rerank ?? (() => Promise.reject(new Error('There is no rerank model.'))),
  };
  return {
    bot,
    search: {
      database,
      vectors,
      inference,
      embeddingForm,
      knownLanguages: () => knownLanguages,
      modelScales: openModelScales({ inference, embeddingForm }),
      translate: openTranslator({ inference, embeddingForm }),
      rerankModel: async () => (rerank ? 'reranker' : null),
      documentUri: (_, name) => name,
    },
    async hits(question, { dense, lexical }) {
      const [vector] = dense ? await encoder.embed([question], 'query') : [];
      return vectors.search(bot.collection, {
        vector,
        terms: lexical ? queryTerms(question) : new Uint32Array(),
        limit: 50,
      });
    },
    async setHidden(document, isHidden) {
      await database.query
        .updateTable('bot_documents')
        .set({ state: isHidden ? 'retired' : 'active' })
        .where('name', '=', document)
        .execute();
    },
    async close() {
      await vectors.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const botRow = (model: string, dimensions: number): BotRow => ({
  id: 'evaluation',
  state: 'ready',
  creator: 'bench',
  user_story: '',
  hello_text: '',
  retrive_n: 30,
  support_n: 10,
  example_questions_json: '[]',
  collection: 'evaluation',
  embeddings_model: model,
  dimensions,
  notes_json: '[]',
  sync_every: null,
  sync_due_at: null,
  created_at: 0,
  changed_at: 0,
});

const documentRow = (name: string, at: number) => ({
  id: at + 1,
  bot: 'evaluation',
  name,
  url: null,
  source_json: null,
  source_id: null,
  source_version: null,
  state: 'active' as const,
  command: null,
  blob: null,
  type: 'text/plain',
  title: title(name),
  bytes: null,
  sha256: null,
  pages: null,
  chunks: null,
  embedded: 0,
  languages_json: '[]',
  error: null,
  created_at: 0,
  indexed_at: 0,
});

const chunkRow = {
  bot: 'evaluation',
  kind: 'text' as const,
  headings_json: '[]',
  markdown: null,
  page: null,
  segments_json: '[]',
};

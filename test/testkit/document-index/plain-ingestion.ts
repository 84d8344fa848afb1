import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../../src/contracts/problems.ts';
import type { Ingestion } from '../../../src/document-index/index-dependencies.ts';
import type { EmbeddingsModels } from '../../../src/document-index/ingestion/embedding/embeddings-model.ts';
import { Unreadable } from '../../../src/documents/unreadable.ts';
import type { BlobStore } from '../../../src/platform/blobs/blob-store.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import type { VectorStore } from '../../../src/platform/vectors/vector-store.ts';

interface PlainDependencies {
  database: Database;
  blobs: BlobStore;
  vectors: VectorStore;
  models: DeployedModel;
  /** Milliseconds per paragraph. */
  pace?: () => number;
}

/** The model that a test has deployed. */
export class DeployedModel implements EmbeddingsModels {
  name: string | null = 'mini';
  dimensions = 4;
  current = async () => (this.name === null ? null : { name: this.name, dimensions: this.dimensions });
  isServed = async (name: string) => name === this.name;
}

/**
 * Ingestion of plain text, a paragraph per chunk, in small steps that a kill can come between. A text with the word
 * UNREADABLE is refused, and one with UNAVAILABLE fails as if the models were away.
 */
export function plainIngestion({
  database,
  blobs,
  vectors,
  models,
  pace = () => 0,
}: PlainDependencies): Ingestion {
  const terms = { terms: new Uint32Array(), counts: new Uint16Array() };
  const change = (id: number, changes: object) =>
    database.query.updateTable('bot_documents').set(changes).where('id', '=', id).execute();
  return {
    async ingest({ document, collection, model, signal, onProgress }) {
      const content = await text((await blobs.get(document.blob ?? '')).body);
      if (content.includes('UNAVAILABLE')) throw new Unavailable('no model answers');
      await change(document.id, { state: 'processing' });
      await vectors.ensure(collection, { dimensions: model?.dimensions ?? null });
      const paragraphs = content.split('\n\n');
      for (const [position, paragraph] of paragraphs.entries()) {
        onProgress({ done: position, total: paragraphs.length });
        await sleep(pace(), undefined, { signal });
        if (paragraph.includes('UNREADABLE')) throw new Unreadable('invalid', 'The file is damaged.');
        const row = {
          bot: document.bot,
          document: document.id,
          position,
          kind: 'text' as const,
          text: paragraph,
          context: '',
          headings_json: '[]',
          markdown: null,
          page: 1,
          segments_json: '[]',
          language: 'eng',
        };
        const { id } = await database.query
          .insertInto('bot_chunks')
          .values(row)
          .onConflict((conflict) =>
            conflict.columns(['document', 'position']).doUpdateSet({ text: paragraph }),
          )
          .returning('id')
          .executeTakeFirstOrThrow();
        await vectors.upsert(collection, [{ id, group: document.id, vector: null, terms }]);
      }
      await change(document.id, {
        state: 'built',
        chunks: paragraphs.length,
        embedded: paragraphs.length,
        pages: 1,
        languages_json: '["eng"]',
      });
    },
    async removeVersions({ collection, ids }) {
      const points = await vectors.remove(collection, ids);
      let [chunks, files] = [0, 0];
      for (const id of ids) {
        const { numDeletedRows } = await database.query
          .deleteFrom('bot_chunks')
          .where('document', '=', id)
          .executeTakeFirst();
        chunks += Number(numDeletedRows);
        const row = await database.query
          .selectFrom('bot_documents')
          .select('blob')
          .where('id', '=', id)
          .executeTakeFirst();
        if (row?.blob) {
          if (await blobs.head(row.blob)) files++;
          await blobs.delete(row.blob);
        }
        await database.query.deleteFrom('bot_documents').where('id', '=', id).execute();
      }
      return { chunks, vectors: points, full_text_entries: points, files };
    },
    async reembed({ bot, signal, onProgress }) {
      const model = await models.current();
      const chunks = await database.query
        .selectFrom('bot_chunks')
        .select(['id', 'document'])
        .where('bot', '=', bot)
        .execute();
      const next = `${bot}.next`;
      await vectors.ensure(next, { dimensions: model?.dimensions ?? null });
      for (const [done, { id, document }] of chunks.entries()) {
        onProgress({ done, total: chunks.length });
        await sleep(pace(), undefined, { signal });
        await vectors.upsert(next, [{ id, group: document, vector: null, terms }]);
      }
      await vectors.drop(bot);
      await vectors.copy(next, bot);
      await vectors.drop(next);
      await database.query
        .updateTable('bots')
        .set({ embeddings_model: model?.name ?? null, dimensions: model?.dimensions ?? null })
        .where('id', '=', bot)
        .execute();
    },
  };
}

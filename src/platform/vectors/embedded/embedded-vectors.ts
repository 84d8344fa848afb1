import { accessSync, constants, mkdirSync } from 'node:fs';
import { InternalFault, NotFound } from '../../../contracts/problems.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { checkDimensions, checkedPoint, checkedQuery, checkGroups, checkName } from '../checked-points.ts';
import type { VectorStore } from '../vector-store.ts';
import type { ThreadSettings } from './thread-messages.ts';
import { VectorThread } from './vector-thread.ts';

/** Collections in files of this machine. Nothing is opened or created before the first call. */
export function openEmbeddedVectors(settings: ThreadSettings, { logger }: { logger: Logger }): VectorStore {
  const thread = new VectorThread(settings, logger);
  const missing = (collection: string) => new NotFound('collection', collection);
  return {
    async ensure(collection, { dimensions }) {
      checkName(collection);
      checkDimensions(dimensions);
      await thread.call('ensure', collection, dimensions);
    },
    async upsert(collection, points) {
      checkName(collection);
      const checked = points.map((point) => {
        const { payload: _, ...rest } = checkedPoint(point);
        return rest;
      });
      if (!(await thread.call('upsert', collection, checked))) throw missing(collection);
    },
    async remove(collection, groups) {
      checkName(collection);
      checkGroups(groups);
      return thread.call('remove', collection, groups);
    },
    async search(collection, query, signal) {
      checkName(collection);
      signal?.throwIfAborted();
      const hits = await thread.call('search', collection, checkedQuery(query));
      signal?.throwIfAborted();
      return hits;
    },
    async count(collection) {
      checkName(collection);
      return thread.call('count', collection);
    },
    async copy(from, to) {
      checkName(from);
      checkName(to);
      if (from !== to && !(await thread.call('copy', from, to))) throw missing(from);
    },
    async drop(collection) {
      checkName(collection);
      await thread.call('drop', collection);
    },
    async list() {
      return thread.call('list');
    },
    async check() {
      checkFolder(settings.folder);
    },
    close: () => thread.close(),
  };
}

function checkFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new InternalFault("the platform can't write to the vector store's folder: check its permissions", {
      cause,
    });
  }
}

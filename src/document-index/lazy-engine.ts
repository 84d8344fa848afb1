import type { BotQuery, Found } from '../contracts/retrieval.ts';
import type { IndexEngine } from './part.ts';
import type { BotRow } from './tables.ts';

export interface OpenedEngine extends IndexEngine {
  search(bot: BotRow, query: BotQuery): Promise<Found>;
  close(): Promise<void>;
}

/** An engine that is loaded with the first document or question, since most of the room's code is behind it. */
export function lazyEngine(open: () => Promise<OpenedEngine>): OpenedEngine {
  let opening: Promise<OpenedEngine> | undefined;
  const opened = () => {
    opening ??= open();
    return opening;
  };
  return {
    ingestion: {
      ingest: async (input) => (await opened()).ingestion.ingest(input),
      removeVersions: async (input) => (await opened()).ingestion.removeVersions(input),
      reembed: async (input) => (await opened()).ingestion.reembed(input),
    },
    models: {
      current: async (signal) => (await opened()).models.current(signal),
      isServed: async (name) => (await opened()).models.isServed(name),
    },
    sources: {
      async *list(descriptor, options) {
        yield* (await opened()).sources.list(descriptor, options);
      },
      fetch: async (item, options) => (await opened()).sources.fetch(item, options),
    },
    regression: async (bot, signal) => (await (await opened()).regression?.(bot, signal)) ?? null,
    forget: async (bot, document) => (await opened()).forget?.(bot, document),
    introduce: async (bot, signal) => (await opened()).introduce?.(bot, signal),
    search: async (bot, query) => (await opened()).search(bot, query),
    close: async () => (await opening)?.close(),
  };
}

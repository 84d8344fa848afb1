import { storedDocumentUri } from '../contracts/document-index/documents.ts';
import { Problem } from '../contracts/problems.ts';
import type { Documents } from '../documents/read-document.ts';
import type { ModelSupply } from '../models/layout/model-supply.ts';
import type { Inference } from '../platform/inference/inference.ts';
import type { Foundation } from '../platform/parts/part.ts';
import { openSpoolFolder } from '../platform/uploads/spool-folder.ts';
import type { VectorStore } from '../platform/vectors/vector-store.ts';
import { termsOf } from './analysis/terms.ts';
import { embeddingForm } from './ingestion/embedding/model-prefixes.ts';
import { type LanguageProbe, openLanguageProbe } from './ingestion/language-probe.ts';
import { openIngestion } from './ingestion/open-ingestion.ts';
import type { BotQuery, Found } from './retrieval/found.ts';
import { openModelScales } from './retrieval/scale-model.ts';
import { searchBot } from './retrieval/search-bot.ts';
import type { IndexSettings } from './settings.ts';
import type { BotRow } from './tables.ts';

/** What the slots of the management API serve. */
interface Slots {
  names(slot: string): readonly string[];
}

interface SearchNeeds {
  vectors: VectorStore;
  inference: Inference;
}

interface IngestionNeeds extends SearchNeeds {
  documents: Documents;
  layoutModels: ModelSupply;
  /** Undefined if the management API runs in another process. */
  slots: Slots | undefined;
  /** The name of a chat model that follows instructions; null where none is served. */
  chatModel(signal: AbortSignal): Promise<string | null>;
}

/** How documents get into the index. */
export async function openDocumentIngestion(
  { config, database, blobs, clock, logger }: Foundation<IndexSettings>,
  { vectors, inference, slots, documents, layoutModels, chatModel }: IngestionNeeds,
) {
  return openIngestion({
    database,
    blobs,
    clock,
    logger,
    vectors,
    inference,
    slots,
    documents,
    layoutModels: () => layoutModels.get(),
    chatModel,
    termsOf,
    spoolFolder: await openSpoolFolder(config.data_dir),
    settings: config.index,
  });
}

/** How passages are found in it. */
export function openSearch(
  { database }: Pick<Foundation, 'database'>,
  { vectors, inference }: SearchNeeds,
  probe: LanguageProbe = openLanguageProbe({ inference }),
): (bot: BotRow, query: BotQuery) => Promise<Found> {
  const deps = {
    database,
    vectors,
    inference,
    embeddingForm,
    knownLanguages: (model: string) => probe.limitedTo(model),
    modelScales: openModelScales({ inference, embeddingForm }),
    rerankModel: (signal: AbortSignal) => rerankModel(inference, signal),
    documentUri: storedDocumentUri,
  };
  return (bot, query) => searchBot(deps, { bot, query });
}

/** An embeddings model in the rerank slot would only repeat what the search has found already. */
async function rerankModel(inference: Inference, signal: AbortSignal): Promise<string | null> {
  try {
    const models = await inference.models({ credentials: 'platform', signal });
    return models.find(({ task }) => task === 'rerank')?.id ?? null;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Problem) return null;
    throw error;
  }
}

import type { Answering } from '../contracts/answering.ts';
import { storedDocumentUri } from '../contracts/document-index/documents.ts';
import { Problem } from '../contracts/problems.ts';
import type { BotQuery, Found } from '../contracts/retrieval.ts';
import type { Documents } from '../documents/read-document.ts';
import type { ModelSupply } from '../models/layout/model-supply.ts';
import type { Inference } from '../platform/inference/inference.ts';
import type { Foundation } from '../platform/parts/part.ts';
import { openSpoolFolder } from '../platform/uploads/spool-folder.ts';
import type { VectorStore } from '../platform/vectors/vector-store.ts';
import { termsOf } from './analysis/terms.ts';
import { regressionMemory } from './evaluation/regression-memory.ts';
import { runRegression } from './evaluation/run-regression.ts';
import { type LanguageProbe, openLanguageProbe } from './ingestion/embedding/language-probe.ts';
import { embeddingForm } from './ingestion/embedding/model-prefixes.ts';
import { openIngestion } from './ingestion/open-ingestion.ts';
import type { OpenedEngine } from './lazy-engine.ts';
import { listQuestions } from './records/questions-store.ts';
import { searchBot } from './retrieval/search-bot.ts';
import { openModelScales } from './retrieval/similarity/scale-model.ts';
import { openTranslator } from './retrieval/similarity/translate-words.ts';
import type { IndexSettings } from './settings.ts';
import { openSources, type SourcesConfig } from './sources/open-sources.ts';
import type { BotRow } from './tables.ts';

interface SearchNeeds {
  vectors: VectorStore;
  inference: Inference;
}

interface EngineNeeds extends SearchNeeds {
  documents: Documents;
  layoutModels: ModelSupply;
  /** Undefined if the management API runs in another process. */
  slots: { names(slot: string): readonly string[] } | undefined;
  /** What the chatbot of this process offers; it is opened after the index. */
  chatbot(): { answering: Answering; chatModel(signal: AbortSignal): Promise<string | null> } | undefined;
  /** Removes the answers that quote a document of a bot, or all of the bot. */
  forgetAnswers(bot: string, document?: string): Promise<unknown>;
}

/** Everything that the commands of the index call. */
export async function openEngine(
  { config, database, blobs, clock, logger }: Foundation<IndexSettings & SourcesConfig>,
  needs: EngineNeeds,
): Promise<OpenedEngine> {
  const { vectors, inference, slots, documents, layoutModels, chatbot } = needs;
  const { probe, ...ingestion } = openIngestion({
    database,
    blobs,
    clock,
    logger,
    vectors,
    inference,
    slots,
    documents,
    layoutModels: () => layoutModels.get(),
    chatModel: async (signal) => (await chatbot()?.chatModel(signal)) ?? null,
    termsOf,
    spoolFolder: await openSpoolFolder(config.data_dir),
    settings: config.index,
  });
  const sources = openSources({ config, writer: documents.writer });
  const memory = regressionMemory(blobs);
  return {
    ...ingestion,
    sources,
    async regression(bot, signal) {
      const answering = chatbot()?.answering;
      const questions = (id: string) => listQuestions(database, id);
      return answering ? runRegression({ answering, questions, memory }, { bot, signal }) : null;
    },
    async forget(bot, document) {
      await needs.forgetAnswers(bot, document);
      if (document === undefined) await memory.forget(bot);
    },
    search: openSearch({ database }, { vectors, inference, probe }),
    close: () => sources.close(),
  };
}

/** How passages are found, also where only the chatbot runs. */
export function openSearch(
  { database }: Pick<Foundation, 'database'>,
  { vectors, inference, probe = openLanguageProbe({ inference }) }: SearchNeeds & { probe?: LanguageProbe },
): (bot: BotRow, query: BotQuery) => Promise<Found> {
  const deps = {
    database,
    vectors,
    inference,
    embeddingForm,
    knownLanguages: (model: string) => probe.limitedTo(model),
    modelScales: openModelScales({ inference, embeddingForm }),
    translate: openTranslator({ inference, embeddingForm }),
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

import type { Inference } from '../../platform/inference/inference.ts';
import { type ReembedBotInput, reembedBot } from './collections/reembed-bot.ts';
import { describeBot } from './describe-bot.ts';
import { type EmbeddingsModels, openEmbeddingsModels } from './embedding/embeddings-model.ts';
import { type LanguageProbe, openLanguageProbe } from './embedding/language-probe.ts';
import { type IngestDocumentInput, ingestDocument } from './ingest-document.ts';
import type { IngestionDependencies } from './ingestion-dependencies.ts';
import type { IngestionSettings } from './ingestion-settings.ts';
import { type Removal, type RemovedCounts, removeVersions } from './remove-versions.ts';

interface IngestionNeeds
  extends Omit<IngestionDependencies, 'inference' | 'models' | 'sentences' | 'settings'> {
  inference: Pick<Inference, 'embed' | 'models' | 'ask'>;
  /** What the embeddings slot serves; undefined if the management API runs in another process. */
  slots: { names(slot: 'embeddings'): readonly string[] } | undefined;
  /** The name of a chat model that follows instructions; null where none is served. */
  chatModel(signal: AbortSignal): Promise<string | null>;
  settings: IngestionSettings;
}

export interface OpenIngestion {
  ingestion: {
    ingest(input: IngestDocumentInput): Promise<void>;
    removeVersions(input: Removal): Promise<RemovedCounts>;
    reembed(input: ReembedBotInput): Promise<void>;
  };
  models: EmbeddingsModels;
  probe: LanguageProbe;
  /** Gives a bot its greeting, example questions and notes, once its documents have changed. */
  introduce(bot: string, signal: AbortSignal): Promise<void>;
}

/** Puts together what the document index calls. */
export function openIngestion(needs: IngestionNeeds): OpenIngestion {
  const { inference, slots, settings } = needs;
  const models = openEmbeddingsModels({ inference, slots, configured: settings.embeddings_model });
  const probe = openLanguageProbe({ inference });
  const deps: IngestionDependencies = { ...needs, models, sentences: settings.sentence_vectors };
  return {
    ingestion: {
      ingest: (input) => ingestDocument(deps, input),
      removeVersions: (input) => removeVersions(deps, input),
      async reembed(input) {
        await reembedBot(deps, input);
      },
    },
    models,
    probe,
    introduce: (bot, signal) => describeBot({ ...needs, probe }, { bot, signal }),
  };
}

import { Problem } from '../../../contracts/problems.ts';
import type { Inference } from '../../../platform/inference/inference.ts';

export interface EmbeddingsModel {
  name: string;
  dimensions: number;
}

export interface EmbeddingsModels {
  /** The model that embeds documents now; null where none can be called. */
  current(signal: AbortSignal): Promise<EmbeddingsModel | null>;
  isServed(name: string): Promise<boolean>;
}

interface ModelDependencies {
  inference: Pick<Inference, 'embed' | 'models'>;
  /** The setting `index.embeddings_model`. */
  configured?: string | undefined;
  /** What the slot serves; undefined if the management API runs in another process. */
  slots?: { names(slot: 'embeddings'): readonly string[] } | undefined;
}

const patience = 10_000;

/** Which embeddings model is used: the configured one, that of the embeddings slot, or the first that is served. */
export function openEmbeddingsModels({ inference, configured, slots }: ModelDependencies): EmbeddingsModels {
  const known = new Map<string, EmbeddingsModel>();
  const served = async (signal: AbortSignal) => {
    const models = await inference.models({ credentials: 'platform', signal });
    return models
      .filter(({ task, parent }) => task === 'embeddings' && parent === undefined)
      .map(({ id }) => id);
  };
  async function learn(name: string, signal: AbortSignal): Promise<EmbeddingsModel | null> {
    const present = known.get(name);
    if (present) return present;
    const options = { model: name, credentials: 'platform' as const, signal, patience };
    for await (const { vectors } of inference.embed(['dimensions'], options)) {
      const dimensions = vectors[0]?.length ?? 0;
      known.set(name, { name, dimensions });
    }
    return known.get(name) ?? null;
  }
  return {
    async current(signal) {
      try {
        const names = await served(signal);
        const wanted = configured ?? slots?.names('embeddings')[0];
        const name = wanted === undefined ? names[0] : names.find((id) => id === wanted);
        return name === undefined ? null : await learn(name, signal);
      } catch (error) {
        signal.throwIfAborted();
        // A dispatcher that is away, or a model that fails.
        if (error instanceof Problem) return null;
        throw error;
      }
    },
    async isServed(name) {
      return (await served(AbortSignal.timeout(patience))).includes(name);
    },
  };
}

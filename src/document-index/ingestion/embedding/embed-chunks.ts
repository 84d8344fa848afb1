import { BadRequest, PayloadTooLarge } from '../../../contracts/problems.ts';
import type { Inference } from '../../../platform/inference/inference.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { awaitModel, type ModelDirectory, ModelReplaced } from './await-model.ts';
import { embedAlone } from './embed-alone.ts';
import { type EmbeddableChunk, embeddableTexts } from './embeddable-texts.ts';
import { embeddingForm } from './model-prefixes.ts';
import { unitVector } from './unit-vector.ts';

export interface EmbeddedChunk<Chunk> {
  chunk: Chunk;
  /** Null without a model, and for a text that the model refuses. */
  vector: Float32Array | null;
  sentences: Float32Array[];
}

interface EmbeddingDependencies {
  inference: Pick<Inference, 'embed'>;
  models: ModelDirectory;
  logger: Pick<Logger, 'info' | 'warn'>;
  sentences: boolean;
}

interface EmbeddingInput<Chunk> {
  /** Without a model, chunks pass without vectors. */
  model: { name: string; dimensions: number } | null;
  /** The position to begin at. */
  from: number;
  /** Milliseconds to wait for a model that is away; without end by default. */
  patience?: number | undefined;
  /** Chunks from a position on, in order; none after the last. */
  load(position: number): Promise<Chunk[]>;
  signal: AbortSignal;
}

/** Chunks that are handed on together. */
const handful = 96;
/** Milliseconds after which fewer are handed on, so that slow models show progress, too. */
const longestHold = 2_000;

/**
 * Embeds the chunks of a document in order and yields them as they get their vectors. While the model is away, it waits.
 * Throws `ModelReplaced` if it will not come back.
 */
export async function* embedChunks<Chunk extends EmbeddableChunk>(
  deps: EmbeddingDependencies,
  { model, from, patience, load, signal }: EmbeddingInput<Chunk>,
): AsyncGenerator<EmbeddedChunk<Chunk>[]> {
  if (!model) return yield* withoutVectors(from, load, signal);
  const waiting = awaitModel({ ...deps, model: model.name, patience, signal });
  let position = from;
  let isRefused = false;
  for (;;) {
    try {
      const pass = { model, from: position, load, signal };
      for await (const embedded of isRefused ? oneByOne(deps, pass) : embedFrom(deps, pass)) {
        waiting.worked();
        position = (embedded.at(-1)?.chunk.position ?? position) + 1;
        yield embedded;
      }
      if (!isRefused) return;
      isRefused = false;
    } catch (error) {
      signal.throwIfAborted();
      if (!isRefused && (error instanceof BadRequest || error instanceof PayloadTooLarge)) isRefused = true;
      else await waiting.failed(error);
    }
  }
}

/** The next chunks, after a server has refused them together. */
async function* oneByOne<Chunk extends EmbeddableChunk>(
  deps: EmbeddingDependencies,
  { model, from, load, signal }: EmbeddingInput<Chunk> & { model: { name: string } },
): AsyncGenerator<EmbeddedChunk<Chunk>[]> {
  const chunks = await load(from);
  if (chunks.length > 0) yield await embedAlone(deps, { model: model.name, chunks, signal });
}

async function* withoutVectors<Chunk extends EmbeddableChunk>(
  from: number,
  load: EmbeddingInput<Chunk>['load'],
  signal: AbortSignal,
): AsyncGenerator<EmbeddedChunk<Chunk>[]> {
  for (let position = from; ; ) {
    signal.throwIfAborted();
    const chunks = await load(position);
    const last = chunks.at(-1);
    if (!last) return;
    yield chunks.map((chunk) => ({ chunk, vector: null, sentences: [] }));
    position = last.position + 1;
  }
}

/** One pass over the chunks. What is ready is yielded before a failure is thrown. */
async function* embedFrom<Chunk extends EmbeddableChunk>(
  { inference, sentences }: EmbeddingDependencies,
  { model, from, load, signal }: EmbeddingInput<Chunk> & { model: { name: string; dimensions: number } },
): AsyncGenerator<EmbeddedChunk<Chunk>[]> {
  const { prefix, purpose } = embeddingForm(model.name, 'document');
  const sent: { chunk: Chunk; texts: number }[] = [];
  async function* texts(): AsyncGenerator<string> {
    for (let position = from; ; ) {
      const chunks = await load(position);
      const last = chunks.at(-1);
      if (!last) return;
      for (const chunk of chunks) {
        const own = embeddableTexts(chunk, sentences);
        sent.push({ chunk, texts: own.length });
        for (const text of own) yield prefix + text;
      }
      position = last.position + 1;
    }
  }
  const options = {
    model: model.name,
    credentials: 'platform' as const,
    signal,
    truncate: true,
    ...(purpose && { purpose }),
  };
  const vectors: (Float32Array | null)[] = [];
  let ready: EmbeddedChunk<Chunk>[] = [];
  let since = performance.now();
  try {
    for await (const batch of inference.embed(texts(), options)) {
      if (batch.vectors[0]?.length !== model.dimensions) throw new ModelReplaced(model.name);
      vectors.push(...batch.vectors.map(unitVector));
      for (let [next] = sent; next && vectors.length >= next.texts; [next] = sent) {
        const [vector = null, ...rest] = vectors.splice(0, next.texts);
        ready.push({ chunk: next.chunk, vector, sentences: rest.filter((one) => one !== null) });
        sent.shift();
      }
      if (ready.length >= handful || performance.now() - since > longestHold) {
        yield ready;
        [ready, since] = [[], performance.now()];
      }
    }
  } catch (error) {
    if (ready.length > 0 && !signal.aborted) yield ready;
    throw error;
  }
  if (ready.length > 0) yield ready;
}

import { BadRequest, PayloadTooLarge } from '../../../contracts/problems.ts';
import type { Inference } from '../../../platform/inference/inference.ts';
import type { EmbeddableChunk } from './embeddable-texts.ts';
import { indexedText } from './indexed-text.ts';
import { embeddingForm } from './model-prefixes.ts';
import { unitVector } from './unit-vector.ts';

interface AloneInput<Chunk> {
  model: string;
  chunks: readonly Chunk[];
  signal: AbortSignal;
}

/** Shorter texts are not refused for their length. */
const shortest = 100;

/**
 * Embeds chunks one by one, after a server has refused them together. Servers that can't truncate refuse a text that is
 * too long, so it is shortened until it fits; the words beyond are still found by lexical search.
 */
export async function embedAlone<Chunk extends EmbeddableChunk>(
  { inference }: { inference: Pick<Inference, 'embed'> },
  { model, chunks, signal }: AloneInput<Chunk>,
) {
  const { prefix, purpose } = embeddingForm(model, 'document');
  async function vectorOf(text: string): Promise<Float32Array | null> {
    const options = { model, credentials: 'platform' as const, signal, ...(purpose && { purpose }) };
    for (let length = text.length; ; length = Math.floor(length / 2)) {
      try {
        for await (const { vectors } of inference.embed(
          [prefix + text.slice(0, length).toWellFormed()],
          options,
        )) {
          return unitVector(vectors[0] ?? new Float32Array());
        }
        return null;
      } catch (error) {
        if (!(error instanceof BadRequest || error instanceof PayloadTooLarge)) throw error;
        if (length / 2 < shortest) return null;
      }
    }
  }
  const embedded: { chunk: Chunk; vector: Float32Array | null; sentences: Float32Array[] }[] = [];
  for (const chunk of chunks) {
    embedded.push({ chunk, vector: await vectorOf(indexedText(chunk)), sentences: [] });
  }
  return embedded;
}

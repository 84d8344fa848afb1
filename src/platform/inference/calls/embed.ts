import { z } from 'zod';
import type { CallOptions } from '../sending/call-options.ts';
import { briefRetries, policyOf } from '../sending/retries.ts';
import { askForJson, jsonRequest, notUnderstood, type Sender } from '../sending/send-request.ts';
import { type Batch, batches } from '../streams/batches.ts';
import { inOrder } from '../streams/in-order.ts';
import { type TokenUsage, usageField } from './usage.ts';
import { readVector } from './vector.ts';

export interface EmbedOptions extends CallOptions {
  model: string;
  dimensions?: number | undefined;
  /** What the texts are for: models that were trained so embed questions and passages differently. */
  purpose?: 'query' | 'document' | undefined;
  /** Cuts texts that are longer than the model's context. Without it, they are refused. */
  truncate?: boolean | undefined;
  /** Texts per request; 32 unless told otherwise. */
  batchTexts?: number | undefined;
  /** Characters per request; 64,000 unless told otherwise. A longer text is sent alone. */
  batchCharacters?: number | undefined;
  /** Requests at once; 4 unless told otherwise. */
  inFlight?: number | undefined;
}

export interface EmbeddedBatch {
  /** The place of its first text among all that were given. */
  start: number;
  texts: string[];
  /** One for each text, in the same order. */
  vectors: Float32Array[];
  usage: TokenUsage | undefined;
}

const Answer = z.looseObject({
  data: z.array(
    z.looseObject({
      index: z.int().min(0).nullish(),
      embedding: z.union([z.string(), z.array(z.number())]),
    }),
  ),
  usage: usageField,
});

/** Embeds any number of texts and yields them in their order. Texts are taken only as fast as results are. */
export function embed(
  sender: Sender,
  texts: Iterable<string> | AsyncIterable<string>,
  options: EmbedOptions,
): AsyncGenerator<EmbeddedBatch> {
  const limits = { texts: options.batchTexts ?? 32, characters: options.batchCharacters ?? 64_000 };
  return inOrder(batches(texts, limits), options.inFlight ?? 4, options.signal, (batch, signal) =>
    embedBatch(sender, batch, { ...options, signal }),
  );
}

async function embedBatch(
  sender: Sender,
  { start, texts }: Batch,
  options: EmbedOptions,
): Promise<EmbeddedBatch> {
  const { model, dimensions, purpose, truncate } = options;
  // Base64 takes a third of the bytes of decimal numbers, and next to no time to read.
  const body = {
    model,
    input: texts,
    encoding_format: 'base64',
    dimensions,
    input_type: purpose,
    // vLLM's word for "as long as the context".
    truncate_prompt_tokens: truncate ? -1 : undefined,
  };
  const request = jsonRequest('/v1/embeddings', body);
  const { data, usage } = await askForJson(sender, request, Answer, options, policyOf(options, briefRetries));
  if (data.length !== texts.length) {
    throw notUnderstood(new Error(`${texts.length} texts were sent, ${data.length} vectors came back`));
  }
  const vectors = new Array<Float32Array | undefined>(texts.length).fill(undefined);
  for (const [at, { index, embedding }] of data.entries()) vectors[index ?? at] = readVector(embedding);
  const [first] = vectors;
  for (const vector of vectors) {
    if (!vector || vector.length !== first?.length) {
      throw notUnderstood(new Error('a vector is missing, or its length differs'));
    }
  }
  return { start, texts, vectors: vectors as Float32Array[], usage };
}

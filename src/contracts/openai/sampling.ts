import { z } from 'zod';
import { list, most, record } from './limits.ts';

const penalty = z.number().min(-2).max(2).nullish();
const positive = z.int().min(1);
const stopText = z.string().min(1).max(most.stopCharacters);

export const StreamOptions = z
  .looseObject({ include_usage: z.boolean().nullish() })
  .meta({ id: 'StreamOptions' });
export type StreamOptions = z.infer<typeof StreamOptions>;

/** Sampling parameters of both completion endpoints of a pod. Clients may send null for omitted fields. */
export const samplingFields = {
  model: z.string().min(1),
  stream: z.boolean().nullish(),
  stream_options: StreamOptions.nullish().describe('Requires `stream`'),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().min(-1).nullish().describe('-1 and 0 keep every token'),
  min_p: z.number().min(0).max(1).nullish(),
  n: positive.max(128).nullish(),
  // Clients send any 64-bit integer, which JSON may round; the sampler uses the lowest 32 bits.
  seed: z
    .number()
    .min(-(2 ** 63))
    .max(2 ** 63)
    .multipleOf(1)
    .nullish(),
  stop: z
    .union([stopText, list(stopText, { most: most.stopTexts })], {
      error: `must be a non-empty string of at most ${most.stopCharacters} characters, or an array of at most ${most.stopTexts} of them`,
    })
    .nullish(),
  presence_penalty: penalty,
  frequency_penalty: penalty,
  // Logits are divided by it: a value near zero makes them infinite.
  repetition_penalty: z.number().min(0.01).max(10).nullish(),
  logit_bias: record(
    z.string().regex(/^\d{1,10}$/, 'must be a token id'),
    z.number().min(-100).max(100),
    most.logitBiases,
  )
    .nullish()
    .describe('Map from token id to bias'),
  min_tokens: z
    .int()
    .min(0)
    .nullish()
    .describe('Neither the model nor a stop text ends the answer before this many tokens'),
  ignore_eos: z.boolean().nullish(),
  user: z.string().nullish(),
};

/** Like vLLM, rejects an answer that would have to be longer than it may be. */
export const minTokensFit = {
  check: (request: {
    min_tokens?: number | null;
    max_tokens?: number | null;
    max_completion_tokens?: number | null;
  }) =>
    (request.min_tokens ?? 0) <=
    (request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY),
  issue: { path: ['min_tokens'], error: 'must not be greater than max_tokens' },
};

/** Like OpenAI, rejects `stream_options` without `stream`: a client that sends it expects chunks. */
export const streamOptionsNeedStream = {
  check: (request: { stream?: boolean | null; stream_options?: unknown }) =>
    request.stream === true || request.stream_options == null,
  issue: { path: ['stream_options'], error: 'is only allowed when stream is true' },
};

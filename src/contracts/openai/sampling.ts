import { z } from 'zod';

const penalty = z.number().min(-2).max(2).nullish();
const positive = z.int().min(1);

/** One text or several, each as a string or as token ids. */
export const TextOrTokens = z.union(
  [
    z.string(),
    z.array(z.string()).min(1),
    z.array(z.int().min(0)).min(1),
    z.array(z.array(z.int().min(0)).min(1)).min(1),
  ],
  { error: 'must be a string or a non-empty array of strings, token ids or arrays of token ids' },
);
export type TextOrTokens = z.infer<typeof TextOrTokens>;

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
  seed: z.int().nullish(),
  stop: z
    .union([z.string().min(1), z.array(z.string().min(1)).max(16)], {
      error: 'must be a non-empty string or an array of at most 16 non-empty strings',
    })
    .nullish(),
  presence_penalty: penalty,
  frequency_penalty: penalty,
  repetition_penalty: z.number().gt(0).max(10).nullish(),
  logit_bias: z
    .record(z.string().regex(/^\d+$/, 'must be a token id'), z.number().min(-100).max(100))
    .nullish()
    .describe('Map from token id to bias'),
  min_tokens: z.int().min(0).nullish(),
  ignore_eos: z.boolean().nullish(),
  user: z.string().nullish(),
};

/** Like OpenAI, rejects `stream_options` without `stream`: a client that sends it expects chunks. */
export const streamOptionsNeedStream = {
  check: (request: { stream?: boolean | null; stream_options?: unknown }) =>
    request.stream === true || request.stream_options == null,
  issue: { path: ['stream_options'], error: 'is only allowed when stream is true' },
};

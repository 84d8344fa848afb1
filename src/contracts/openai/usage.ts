import { z } from 'zod';

export const Usage = z
  .looseObject({
    prompt_tokens: z.int().min(0),
    total_tokens: z.int().min(0),
    completion_tokens: z.int().min(0),
    prompt_tokens_details: z.looseObject({ cached_tokens: z.int().min(0).nullish() }).nullish(),
  })
  .meta({ id: 'Usage' });
export type Usage = z.infer<typeof Usage>;

/** Why a choice ended; null in all chunks but the last. */
export const FinishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'error', 'abort']);
export type FinishReason = z.infer<typeof FinishReason>;

/** vLLM extension: the stop string or token that ended a choice. */
export const StopReason = z.union([z.string(), z.int()]).nullish();

/** Fields shared by all answers of text models. */
export const answerFields = {
  id: z.string(),
  created: z.int().describe('Seconds since 1970'),
  model: z.string(),
};

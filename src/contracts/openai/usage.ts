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

/** Why a choice ended; null in the chunks before the last. */
export const FinishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'error', 'abort']);
export type FinishReason = z.infer<typeof FinishReason>;

/** vLLM's addition: the stop string or token that ended a choice. */
export const StopReason = z.union([z.string(), z.int()]).nullish();

/** What every whole answer of a text model begins with. */
export const answerFields = {
  id: z.string(),
  created: z.int().describe('Seconds since 1970'),
  model: z.string(),
};

import { z } from 'zod';

export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
  /** Prompt tokens that the pod had in its cache, where it says so. */
  cachedTokens: number | undefined;
}

const count = z.number().min(0);

/** Servers leave it out, send null, or tell only a part of it. */
export const usageField = z
  .looseObject({
    prompt_tokens: count.nullish(),
    completion_tokens: count.nullish(),
    total_tokens: count.nullish(),
    prompt_tokens_details: z.looseObject({ cached_tokens: count.nullish() }).nullish().catch(undefined),
  })
  .nullish()
  .catch(undefined)
  .transform((usage): TokenUsage | undefined => {
    if (!usage || (usage.prompt_tokens == null && usage.total_tokens == null)) return undefined;
    const completionTokens = usage.completion_tokens ?? 0;
    const promptTokens = usage.prompt_tokens ?? Math.max(0, (usage.total_tokens ?? 0) - completionTokens);
    const cachedTokens = usage.prompt_tokens_details?.cached_tokens ?? undefined;
    return { promptTokens, completionTokens, cachedTokens };
  });

import type { LikelyToken, TokenLogprob } from '../../../engine.ts';
import type { TokenBytes } from './token-bytes.ts';

/**
 * A token with its log-probability and the `top` most likely alternatives. `logprobs` is undefined for the first
 * token.
 */
export function describeToken(
  tokenBytes: TokenBytes,
  token: number,
  logprobs: Map<number, number> | undefined,
  top: number,
): TokenLogprob {
  const likely = (id: number, logprob: number | null): LikelyToken => {
    const bytes = tokenBytes.named(id);
    return { id, token: new TextDecoder().decode(bytes), bytes: [...bytes], logprob };
  };
  const likeliest = [...(logprobs ?? [])].sort((a, b) => b[1] - a[1]).slice(0, top);
  return {
    ...likely(token, logprobs?.get(token) ?? null),
    top: likeliest.map(([id, logprob]) => likely(id, logprob)),
  };
}

import type { ChatLogprobs } from '../../contracts/openai/chat/chat-response.ts';
import type { CompletionLogprobs } from '../../contracts/openai/completions.ts';
import type { LikelyToken, TokenLogprob } from '../engine.ts';

/** JSON has no infinity; OpenAI's API uses this value for tokens that are practically impossible. */
const minLogprob = -9999;

const finite = (logprob: number | null) => Math.max(minLogprob, logprob ?? minLogprob);

export function chatLogprobs(tokens: readonly TokenLogprob[]): ChatLogprobs {
  const entry = ({ token, logprob, bytes }: LikelyToken) => ({ token, logprob: finite(logprob), bytes });
  return {
    content: tokens.map((token) => ({ ...entry(token), top_logprobs: token.top.map(entry) })),
    refusal: null,
  };
}

/** The older format of `/v1/completions`. `offset` is the position of the first token in the choice's text. */
export function completionLogprobs(tokens: readonly TokenLogprob[], offset: number): CompletionLogprobs {
  let at = offset;
  return {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => (logprob === null ? null : finite(logprob))),
    top_logprobs: tokens.map((token) => (token.logprob === null ? null : likeliest(token))),
    text_offset: tokens.map(({ token }) => {
      const start = at;
      at += token.length;
      return start;
    }),
  };
}

/** Always includes the token itself, as OpenAI's responses do. */
function likeliest(token: TokenLogprob): Record<string, number> {
  const listed = token.top.map((likely): [string, number] => [likely.token, finite(likely.logprob)]);
  return Object.fromEntries([...listed, [token.token, finite(token.logprob)]]);
}

import type { ChatLogprobs } from '../../contracts/openai/chat-response.ts';
import type { CompletionLogprobs } from '../../contracts/openai/completions.ts';
import type { LikelyToken, TokenLogprob } from '../engine.ts';

/** JSON has no infinity; this is what OpenAI's API says for "practically never". */
const least = -9999;

const finite = (logprob: number | null) => Math.max(least, logprob ?? least);

export function chatLogprobs(tokens: readonly TokenLogprob[]): ChatLogprobs {
  const entry = ({ token, logprob, bytes }: LikelyToken) => ({ token, logprob: finite(logprob), bytes });
  return {
    content: tokens.map((token) => ({ ...entry(token), top_logprobs: token.top.map(entry) })),
    refusal: null,
  };
}

/** The older shape of `/v1/completions`; `offset` is where the first token begins in the text of the choice. */
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

/** The token itself is always among them, as in OpenAI's answers. */
function likeliest(token: TokenLogprob): Record<string, number> {
  const listed = token.top.map((likely): [string, number] => [likely.token, finite(likely.logprob)]);
  return Object.fromEntries([...listed, [token.token, finite(token.logprob)]]);
}

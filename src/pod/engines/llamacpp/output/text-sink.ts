import type { GenerationEvent, TokenLogprob } from '../../../engine.ts';
import type { TokenBytes } from './token-bytes.ts';

/** Where an answer's text goes: it decides which tokens show and what the text means. */
export interface TextSink {
  bytesOf(token: number): Uint8Array;
  push(text: string, logprobs: TokenLogprob[]): GenerationEvent[];
  /** The answer is over: whatever was held back. `truncated` where a limit or a stop text ended it. */
  flush(truncated: boolean): GenerationEvent[];
  /** True once nothing that follows would be passed on. */
  readonly done: boolean;
  /** How the answer is said to have ended, given how it did. */
  ending(reason: 'stop' | 'length'): { reason: 'stop' | 'length' | 'tool_calls' };
}

export function plainText(tokenBytes: TokenBytes): TextSink {
  return {
    bytesOf: (token) => tokenBytes.of(token),
    push: (text, logprobs) => {
      if (text === '' && logprobs.length === 0) return [];
      return [{ kind: 'text', text, ...(logprobs.length > 0 ? { logprobs } : {}) }];
    },
    flush: () => [],
    done: false,
    ending: (reason) => ({ reason }),
  };
}

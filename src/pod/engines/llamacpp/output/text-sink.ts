import type { GenerationEvent, TokenLogprob } from '../../../engine.ts';
import type { TokenBytes } from './token-bytes.ts';

/** Receives an answer's text; decides which tokens are visible and what the text means. */
export interface TextSink {
  bytesOf(token: number): Uint8Array;
  push(text: string, logprobs: TokenLogprob[]): GenerationEvent[];
  /** Called at the end of the answer; returns what was held back. `truncated` if a limit or a stop text ended it. */
  flush(truncated: boolean): GenerationEvent[];
  /** True once any further text would be discarded. */
  readonly done: boolean;
  /** The reported finish reason, given the actual one. */
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

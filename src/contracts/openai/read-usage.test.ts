import { describe, expect, it } from 'vitest';
import { readUsage } from './read-usage.ts';

describe('reading usage', () => {
  it('finds it at the end of a JSON answer', () => {
    const answer = '…"text":"x"}],"usage":{"prompt_tokens":12,"total_tokens":15,"completion_tokens":3}}';
    expect(readUsage(answer)).toEqual({ promptTokens: 12, completionTokens: 3 });
  });

  it('finds it before the end of a stream, past chunks that have none', () => {
    const tail =
      'data: {"choices":[],"usage": { "prompt_tokens": 7, "prompt_tokens_details": {"cached_tokens": 2}, "completion_tokens": 9 }}\n\ndata: {"usage":null}\n\ndata: [DONE]\n\n';
    expect(readUsage(tail)).toEqual({ promptTokens: 7, completionTokens: 9 });
  });

  it('takes the total of an answer that generates nothing', () => {
    expect(readUsage('"usage":{"total_tokens":5}')).toEqual({ promptTokens: 5, completionTokens: 0 });
  });

  it('is not fooled by a text that speaks of usage', () => {
    expect(readUsage('"content":"say \\"usage\\":{\\"prompt_tokens\\":1}"}')).toBeUndefined();
  });
});

import type { Usage } from '../../contracts/openai/usage.ts';
import type { TokenUsage } from '../../platform/inference/calls/usage.ts';

/** Adds up what the models used for one answer. */
export class UsedTokens {
  #prompt = 0;
  #completion = 0;

  add(usage: TokenUsage | undefined): void {
    this.#prompt += usage?.promptTokens ?? 0;
    this.#completion += usage?.completionTokens ?? 0;
  }

  get usage(): Usage {
    return {
      prompt_tokens: this.#prompt,
      completion_tokens: this.#completion,
      total_tokens: this.#prompt + this.#completion,
    };
  }
}

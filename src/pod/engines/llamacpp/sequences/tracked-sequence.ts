import type { LlamaContext, LlamaContextSequence } from 'node-llama-cpp';
import { asTokens, copySequence, decode, type LogitIndex } from '../native.ts';
import type { SequenceView } from './choose-sequence.ts';
import type { ContextGate } from './context-gate.ts';

/** One sequence of a context. Its holder may evaluate tokens, which stay cached for the next holder. */
export class TrackedSequence implements SequenceView {
  readonly context: LlamaContext;
  readonly number: number;
  #sequence: LlamaContextSequence;
  #tokens: number[] = [];
  readonly #gate: ContextGate;
  /** Set after a failed evaluation: the contents of the sequence are unknown. */
  #broken = false;
  #prompt = Promise.withResolvers<void>();
  busy = false;
  lastUsed = 0;
  expected: readonly number[] = [];

  /** The library numbers sequences from 0 in order of creation; `#renew` gets the same number back. */
  constructor(context: LlamaContext, gate: ContextGate, number: number) {
    this.context = context;
    this.#gate = gate;
    this.number = number;
    this.#sequence = context.getSequence();
  }

  get tokens(): readonly number[] {
    return this.#tokens;
  }

  get sequence(): LlamaContextSequence {
    return this.#sequence;
  }

  /** Reserves the sequence for a prompt and publishes the prompt, so that an equal prompt can wait for it. */
  take(prompt: readonly number[]): void {
    this.busy = true;
    this.expected = prompt;
    this.#prompt = Promise.withResolvers<void>();
  }

  /** Called when the prompt is evaluated or has failed. */
  promptEnded(): void {
    this.expected = [];
    this.#prompt.resolve();
  }

  get promptDone(): Promise<void> {
    return this.#prompt.promise;
  }

  /** `choose` returns the tokens; it is called when the step starts and all its participants are known. */
  async evaluate<Result>(
    choose: () => number[],
    wanted: (index: number) => boolean,
    onLogits: (index: LogitIndex, tokenIndex: number) => Promise<Result>,
  ): Promise<(Result | undefined)[]> {
    return this.#gate.evaluation(this.number, async () => {
      try {
        const tokens = choose();
        const results = await decode(this.#sequence, tokens, wanted, onLogits);
        this.#tokens.push(...tokens);
        return results;
      } catch (error) {
        this.#broken = true;
        this.#tokens = [];
        throw error;
      }
    });
  }

  /** Drops everything after the first `length` tokens; returns how many are left, possibly fewer than `length`. */
  async keep(length: number): Promise<number> {
    if (!this.#broken && length >= this.#tokens.length) return this.#tokens.length;
    return this.#gate.alone(async () => {
      if (this.#broken) await this.#renew();
      if (length < this.#tokens.length) {
        await this.#sequence.adaptStateToTokens(asTokens(this.#tokens.slice(0, length)), false);
        this.#tokens = [...this.#sequence.contextTokens] as number[];
      }
      return this.#tokens.length;
    });
  }

  /** Copies the first `length` tokens of another sequence of the same context. */
  async copyFrom(other: TrackedSequence, length: number): Promise<void> {
    await this.#gate.alone(async () => {
      const copied = await copySequence(this.#sequence, other.#sequence, length).catch(() => false);
      if (copied) this.#tokens = other.#tokens.slice(0, length);
      else await this.#renew();
    });
  }

  async #renew(): Promise<void> {
    await this.#sequence.dispose();
    this.#sequence = this.context.getSequence();
    this.#tokens = [];
    this.#broken = false;
  }
}

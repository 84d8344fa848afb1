import type { LlamaContext, LlamaContextSequence } from 'node-llama-cpp';
import { asTokens, copySequence, decode, type LogitIndex } from '../native.ts';
import type { SequenceView } from './choose-sequence.ts';
import type { ContextGate } from './context-gate.ts';

/** One sequence of a context: whoever holds it may evaluate; what it evaluated stays for the next. */
export class TrackedSequence implements SequenceView {
  readonly context: LlamaContext;
  #sequence: LlamaContextSequence;
  #tokens: number[] = [];
  readonly #gate: ContextGate;
  /** An evaluation failed, and nobody knows what it left behind. */
  #broken = false;
  #prompt = Promise.withResolvers<void>();
  busy = false;
  lastUsed = 0;
  expected: readonly number[] = [];

  constructor(context: LlamaContext, gate: ContextGate) {
    this.context = context;
    this.#gate = gate;
    this.#sequence = context.getSequence();
  }

  get tokens(): readonly number[] {
    return this.#tokens;
  }

  get sequence(): LlamaContextSequence {
    return this.#sequence;
  }

  /** Takes the sequence for a prompt, and says so, that an equal one may wait for it to be evaluated. */
  take(prompt: readonly number[]): void {
    this.busy = true;
    this.expected = prompt;
    this.#prompt = Promise.withResolvers<void>();
  }

  /** The prompt is in the sequence, or never will be. */
  promptEnded(): void {
    this.expected = [];
    this.#prompt.resolve();
  }

  get promptDone(): Promise<void> {
    return this.#prompt.promise;
  }

  async evaluate<Result>(
    tokens: number[],
    wanted: (index: number) => boolean,
    onLogits: (index: LogitIndex, tokenIndex: number) => Promise<Result>,
  ): Promise<(Result | undefined)[]> {
    return this.#gate.evaluation(async () => {
      try {
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

  /** Forgets everything after the first `length` tokens; returns how many are left, which may be fewer. */
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

  /** Takes the first `length` tokens of another sequence of the same context. */
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

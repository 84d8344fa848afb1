import type { LlamaContext } from 'node-llama-cpp';
import { chooseSequence, type SequenceChoice } from './choose-sequence.ts';
import { ContextGate } from './context-gate.ts';
import { TrackedSequence } from './tracked-sequence.ts';

interface Waiter {
  prompt: readonly number[];
  accept(choice: SequenceChoice<TrackedSequence>): void;
}

/** The sequences of one context and a FIFO queue of requests waiting for one. */
export class SequencePool {
  readonly context: LlamaContext;
  readonly sequences: TrackedSequence[];
  readonly #waiters: Waiter[] = [];
  #uses = 0;

  constructor(context: LlamaContext) {
    this.context = context;
    const gate = new ContextGate();
    this.sequences = Array.from(
      { length: context.totalSequences },
      (_, number) => new TrackedSequence(context, gate, number),
    );
  }

  get running(): number {
    return this.sequences.filter((sequence) => sequence.busy).length;
  }

  /** Tokens in the sequences that are in use. The contents of others can be dropped at any time. */
  get heldTokens(): number {
    return this.sequences.reduce(
      (total, sequence) => total + (sequence.busy ? sequence.tokens.length : 0),
      0,
    );
  }

  async acquire(prompt: readonly number[], signal: AbortSignal): Promise<SequenceChoice<TrackedSequence>> {
    signal.throwIfAborted();
    const choice = this.#waiters.length === 0 ? this.#take(prompt) : undefined;
    if (choice) return choice;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        prompt,
        accept: (accepted) => {
          signal.removeEventListener('abort', leave);
          resolve(accepted);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiters.push(waiter);
    });
  }

  release(sequence: TrackedSequence): void {
    sequence.promptEnded();
    sequence.busy = false;
    sequence.lastUsed = ++this.#uses;
    for (let waiter = this.#waiters[0]; waiter; waiter = this.#waiters[0]) {
      const choice = this.#take(waiter.prompt);
      if (!choice) return;
      this.#waiters.shift();
      waiter.accept(choice);
    }
  }

  #take(prompt: readonly number[]): SequenceChoice<TrackedSequence> | undefined {
    const choice = chooseSequence(this.sequences, prompt);
    choice?.sequence.take(prompt);
    return choice;
  }
}

import type { LlamaContext } from 'node-llama-cpp';
import { chooseSlot, type SlotChoice } from './choose-slot.ts';
import { ContextGate } from './context-gate.ts';
import { SequenceSlot } from './sequence-slot.ts';

interface Waiter {
  prompt: readonly number[];
  accept(choice: SlotChoice<SequenceSlot>): void;
}

/** The sequences of one context and whoever waits for one, first come first served. */
export class SlotQueue {
  readonly context: LlamaContext;
  readonly slots: SequenceSlot[];
  readonly #waiters: Waiter[] = [];
  #uses = 0;

  constructor(context: LlamaContext) {
    this.context = context;
    const gate = new ContextGate();
    this.slots = Array.from({ length: context.totalSequences }, () => new SequenceSlot(context, gate));
  }

  get running(): number {
    return this.slots.filter((slot) => slot.busy).length;
  }

  /** Tokens in the sequences that are in use; what others still hold can be dropped at any time. */
  get heldTokens(): number {
    return this.slots.reduce((total, slot) => total + (slot.busy ? slot.tokens.length : 0), 0);
  }

  async acquire(prompt: readonly number[], signal: AbortSignal): Promise<SlotChoice<SequenceSlot>> {
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

  release(slot: SequenceSlot): void {
    slot.promptEnded();
    slot.busy = false;
    slot.lastUsed = ++this.#uses;
    for (let waiter = this.#waiters[0]; waiter; waiter = this.#waiters[0]) {
      const choice = this.#take(waiter.prompt);
      if (!choice) return;
      this.#waiters.shift();
      waiter.accept(choice);
    }
  }

  #take(prompt: readonly number[]): SlotChoice<SequenceSlot> | undefined {
    const choice = chooseSlot(this.slots, prompt);
    choice?.slot.take(prompt);
    return choice;
  }
}

import { type SlotChoice, shareable, sharedLength } from './choose-slot.ts';
import type { SequenceSlot } from './sequence-slot.ts';

/**
 * Leaves in the chosen sequence the beginning of the prompt that need not be evaluated again, and says how long it
 * is. The last token always is evaluated: what follows it is what is asked for.
 */
export async function prepareSequence(
  { slot, copyFrom }: SlotChoice<SequenceSlot>,
  prompt: readonly number[],
  signal: AbortSignal,
): Promise<number> {
  if (copyFrom && shareable(copyFrom, prompt) > sharedLength(copyFrom.tokens, prompt))
    await Promise.race([copyFrom.promptDone, aborted(signal)]);
  signal.throwIfAborted();
  const usable = prompt.length - 1;
  const own = Math.min(usable, sharedLength(slot.tokens, prompt));
  const theirs = copyFrom ? Math.min(usable, sharedLength(copyFrom.tokens, prompt)) : 0;
  if (copyFrom && theirs > own) await slot.copyFrom(copyFrom, theirs);
  return slot.keep(Math.min(usable, sharedLength(slot.tokens, prompt)));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

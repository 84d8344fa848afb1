import { type SequenceChoice, shareable, sharedLength } from './choose-sequence.ts';
import type { TrackedSequence } from './tracked-sequence.ts';

/**
 * Truncates the chosen sequence to the longest prefix of the prompt that need not be evaluated again, and returns its
 * length. The last token is always evaluated, because its logits are needed.
 */
export async function prepareSequence(
  { sequence, copyFrom }: SequenceChoice<TrackedSequence>,
  prompt: readonly number[],
  signal: AbortSignal,
): Promise<number> {
  if (copyFrom && shareable(copyFrom, prompt) > sharedLength(copyFrom.tokens, prompt))
    await Promise.race([copyFrom.promptDone, aborted(signal)]);
  signal.throwIfAborted();
  const usable = prompt.length - 1;
  const own = Math.min(usable, sharedLength(sequence.tokens, prompt));
  const theirs = copyFrom ? Math.min(usable, sharedLength(copyFrom.tokens, prompt)) : 0;
  if (copyFrom && theirs > own) await sequence.copyFrom(copyFrom, theirs);
  return sequence.keep(Math.min(usable, sharedLength(sequence.tokens, prompt)));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

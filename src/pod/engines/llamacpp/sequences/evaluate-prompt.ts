import type { LogitIndex } from '../native.ts';
import type { PromptPace } from './prompt-pace.ts';
import type { TrackedSequence } from './tracked-sequence.ts';

export interface PromptEvaluation<First, Seen> {
  sequence: TrackedSequence;
  pace: PromptPace;
  /** The tokens that are not in the sequence yet. */
  tokens: number[];
  /** Called with the logits after the last token; chooses the first token of the answer. */
  first(index: LogitIndex): Promise<First>;
  /** Called with the logits before each other token, if log-probabilities of the prompt are requested. */
  seen?: (index: LogitIndex, next: number) => Promise<Seen>;
  signal: AbortSignal;
}

/** Logits for every position need a large output buffer, so chunks are smaller. */
const chunkWithLogits = 64;

/**
 * Evaluates a prompt in chunks, so that an abort takes effect after the current one. A chunk is sized when its step
 * starts, when all prompts of the step are known: equal chunks are batched, unequal ones are split.
 */
export async function evaluatePrompt<First, Seen>(
  evaluation: PromptEvaluation<First, Seen>,
): Promise<{ first: First; seen: Seen[] }> {
  const { sequence, pace, tokens, signal } = evaluation;
  const seen: Seen[] = [];
  let first: { value: First } | undefined;
  const leave = pace.begin();
  try {
    for (let start = 0; start < tokens.length; ) {
      signal.throwIfAborted();
      const last = tokens.length - 1 - start;
      let began = 0;
      let chunk: number[] = [];
      await sequence.evaluate(
        () => {
          began = performance.now();
          const size = evaluation.seen ? Math.min(chunkWithLogits, pace.chunk) : pace.chunk;
          chunk = tokens.slice(start, start + size);
          return chunk;
        },
        (index) => index === last || evaluation.seen !== undefined,
        async (logits, index) => {
          if (index === last) first = { value: await evaluation.first(logits) };
          else if (evaluation.seen)
            seen.push(await evaluation.seen(logits, tokens[start + index + 1] as number));
        },
      );
      pace.measured(chunk.length, performance.now() - began);
      start += chunk.length;
    }
  } finally {
    leave();
  }
  if (!first) throw new Error('the prompt has no token to evaluate');
  return { first: first.value, seen };
}

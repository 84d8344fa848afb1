import type { GenerationEvent, GenerationRequest, GenerationUsage, LanguageEngine } from '../engine.ts';

export interface IndexedEvent {
  /** Which of the generations it belongs to. */
  index: number;
  event: GenerationEvent;
}

/** Runs several generations at once, so that the engine can batch them; their events come as they happen. */
export async function* runGenerations(
  engine: Pick<LanguageEngine, 'generate'>,
  requests: GenerationRequest[],
  signal: AbortSignal,
): AsyncGenerator<IndexedEvent> {
  const [only] = requests;
  if (only && requests.length === 1) {
    for await (const event of engine.generate(only, signal)) yield { index: 0, event };
    return;
  }
  // One that fails ends the others: its request has one answer, and that is now an error.
  const together = new AbortController();
  const shared = AbortSignal.any([signal, together.signal]);
  const streams = requests.map((request) => engine.generate(request, shared)[Symbol.asyncIterator]());
  const step = async (index: number) => ({ index, result: await streams[index]?.next() });
  const waiting = new Map(streams.map((_, index) => [index, step(index)]));
  try {
    while (waiting.size > 0) {
      const { index, result } = await Promise.race(waiting.values());
      if (!result || result.done) {
        waiting.delete(index);
        continue;
      }
      waiting.set(index, step(index));
      yield { index, event: result.value };
    }
  } finally {
    together.abort(new Error('the request has ended'));
    await Promise.allSettled(waiting.values());
  }
}

/** OpenAI's usage of a request: the prompt counts once, however many answers were asked for it. */
export class UsageSum {
  readonly #answersPerPrompt: number;
  #prompt = 0;
  #completion = 0;
  #cached = 0;

  constructor(answersPerPrompt: number) {
    this.#answersPerPrompt = answersPerPrompt;
  }

  add(index: number, usage: GenerationUsage): void {
    this.#completion += usage.completionTokens;
    if (index % this.#answersPerPrompt !== 0) return;
    this.#prompt += usage.promptTokens;
    this.#cached += usage.cachedTokens;
  }

  get usage() {
    return {
      prompt_tokens: this.#prompt,
      completion_tokens: this.#completion,
      total_tokens: this.#prompt + this.#completion,
      prompt_tokens_details: { cached_tokens: this.#cached },
    };
  }
}

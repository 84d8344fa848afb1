import type { GenerationEvent, GenerationRequest, GenerationUsage, LanguageEngine } from '../engine.ts';

export interface IndexedEvent {
  /** Index of the generation it belongs to. */
  index: number;
  event: GenerationEvent;
}

/**
 * Runs several generations and yields their events as they happen. It runs at most as many at once as the engine
 * batches, so that a request for a thousand answers does not fill the engine's queue.
 */
export async function* runGenerations(
  engine: Pick<LanguageEngine, 'generate' | 'status'>,
  requests: GenerationRequest[],
  signal: AbortSignal,
): AsyncGenerator<IndexedEvent> {
  const [only] = requests;
  if (only && requests.length === 1) {
    for await (const event of engine.generate(only, signal)) yield { index: 0, event };
    return;
  }
  // If one generation fails, the whole request fails, so the others are stopped.
  const together = new AbortController();
  const shared = AbortSignal.any([signal, together.signal]);
  const streams = new Map<number, AsyncIterator<GenerationEvent>>();
  const step = async (index: number) => ({ index, result: await streams.get(index)?.next() });
  const waiting = new Map<number, ReturnType<typeof step>>();
  const pending = requests.entries();
  const startNext = () => {
    const next = pending.next();
    if (next.done) return;
    const [index, request] = next.value;
    streams.set(index, engine.generate(request, shared)[Symbol.asyncIterator]());
    waiting.set(index, step(index));
  };
  for (let place = 0; place < engine.status().parallel; place++) startNext();
  try {
    while (waiting.size > 0) {
      const { index, result } = await Promise.race(waiting.values());
      if (!result || result.done) {
        waiting.delete(index);
        streams.delete(index);
        startNext();
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

/** OpenAI's usage for a request: a prompt counts once, however many answers were requested for it. */
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

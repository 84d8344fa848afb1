import type { EngineCounters } from '../../engine.ts';

/** Adds up counters across restarts of a server, which counts from zero each time. */
export class CounterSum {
  #before: EngineCounters = {};

  keep(last: EngineCounters | undefined): void {
    this.#before = this.total(last) ?? this.#before;
  }

  total(now: EngineCounters | undefined): EngineCounters | undefined {
    if (now === undefined && Object.keys(this.#before).length === 0) return undefined;
    const before = this.#before;
    const sum = (a: number | undefined, b: number | undefined) =>
      a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
    return {
      requests: sum(before.requests, now?.requests),
      promptTokens: sum(before.promptTokens, now?.promptTokens),
      completionTokens: sum(before.completionTokens, now?.completionTokens),
      timeToFirstToken: now?.timeToFirstToken ?? before.timeToFirstToken,
      timePerOutputToken: now?.timePerOutputToken ?? before.timePerOutputToken,
      latency: now?.latency ?? before.latency,
    };
  }
}

import type { Exchange } from '../calls/exchange.ts';

/** What one key used of one model on one pod in some stretch of time. */
export interface UsageEntry {
  key: string;
  model: string;
  pod: string;
  requests: number;
  failures: number;
  prompt_tokens: number;
  completion_tokens: number;
}

/** Adds up usage in memory; it is written down every few seconds, away from the requests. */
export class UsageLedger {
  #entries = new Map<string, UsageEntry>();

  observe(exchange: Exchange): void {
    const { caller, model, pod, usage } = exchange;
    if (!pod) return;
    const place = `${caller.id}\n${model}\n${pod.id}`;
    let entry = this.#entries.get(place);
    if (!entry) {
      entry = {
        key: caller.id,
        model,
        pod: pod.id,
        requests: 0,
        failures: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
      };
      this.#entries.set(place, entry);
    }
    entry.requests++;
    if (exchange.status >= 400 || exchange.failure !== '') entry.failures++;
    if (!usage) return;
    entry.prompt_tokens += usage.promptTokens;
    entry.completion_tokens += usage.completionTokens;
  }

  /** Hands over what has come together since the last time. */
  take(): UsageEntry[] {
    const entries = [...this.#entries.values()];
    this.#entries = new Map();
    return entries;
  }

  /** Takes up what another ledger has handed over, or what could not be written. */
  add(entries: readonly UsageEntry[]): void {
    for (const entry of entries) {
      const place = `${entry.key}\n${entry.model}\n${entry.pod}`;
      const known = this.#entries.get(place);
      if (!known) {
        this.#entries.set(place, { ...entry });
        continue;
      }
      known.requests += entry.requests;
      known.failures += entry.failures;
      known.prompt_tokens += entry.prompt_tokens;
      known.completion_tokens += entry.completion_tokens;
    }
  }
}

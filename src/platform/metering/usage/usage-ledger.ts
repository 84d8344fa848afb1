import type { UsageDayRow } from '../tables.ts';

/** What one key used of one model on one pod since usage was last stored. */
export type UsageEntry = Omit<UsageDayRow, 'day'>;

/** Adds up usage in memory; it is written down every few seconds, away from the requests. */
export class UsageLedger {
  /** By key, model and pod. Joining the three into one name took longer than the counting. */
  #entries = new Map<string, Map<string, Map<string, UsageEntry>>>();

  /** Counts one request. */
  record(
    key: string,
    model: string,
    pod: string,
    failed: boolean,
    promptTokens: number,
    completionTokens: number,
  ) {
    const entry = this.#entryOf(key, model, pod);
    entry.requests++;
    if (failed) entry.failures++;
    entry.prompt_tokens += promptTokens;
    entry.completion_tokens += completionTokens;
  }

  /** Counts one request that read pages of documents. */
  recordPages(key: string, service: string, failed: boolean, pages: number) {
    const entry = this.#entryOf(key, service, '');
    entry.requests++;
    if (failed) entry.failures++;
    entry.pages += pages;
  }

  /** Hands over what was counted since the last time. */
  take(): UsageEntry[] {
    const entries = this.#entries;
    this.#entries = new Map();
    return [...entries.values()].flatMap((models) =>
      [...models.values()].flatMap((pods) => [...pods.values()]),
    );
  }

  /** Adds what another ledger handed over, or what could not be written. */
  add(entries: readonly UsageEntry[]): void {
    for (const entry of entries) {
      const known = this.#entryOf(entry.key, entry.model, entry.pod);
      known.requests += entry.requests;
      known.failures += entry.failures;
      known.prompt_tokens += entry.prompt_tokens;
      known.completion_tokens += entry.completion_tokens;
      known.pages += entry.pages;
    }
  }

  #entryOf(key: string, model: string, pod: string): UsageEntry {
    return this.#entries.get(key)?.get(model)?.get(pod) ?? this.#begin(key, model, pod);
  }

  #begin(key: string, model: string, pod: string): UsageEntry {
    const models = this.#entries.get(key) ?? new Map<string, Map<string, UsageEntry>>();
    const pods = models.get(model) ?? new Map<string, UsageEntry>();
    const nothing = { requests: 0, failures: 0, prompt_tokens: 0, completion_tokens: 0, pages: 0 };
    const entry = { key, model, pod, ...nothing };
    this.#entries.set(key, models.set(model, pods.set(pod, entry)));
    return entry;
  }
}

import type { UsageDayRow } from '../tables.ts';

/** What one key used of one model on one pod since usage was last stored. */
export type UsageEntry = Omit<UsageDayRow, 'day'>;

/** Adds up usage in memory; it is written down every few seconds, away from the requests. */
export class UsageLedger {
  #entries = new Map<string, UsageEntry>();

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
    const entries = [...this.#entries.values()];
    this.#entries = new Map();
    return entries;
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
    const place = `${key}\n${model}\n${pod}`;
    let entry = this.#entries.get(place);
    if (!entry) {
      const nothing = { requests: 0, failures: 0, prompt_tokens: 0, completion_tokens: 0, pages: 0 };
      entry = { key, model, pod, ...nothing };
      this.#entries.set(place, entry);
    }
    return entry;
  }
}

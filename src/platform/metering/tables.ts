declare module '../database/tables.ts' {
  interface Tables {
    key_quotas: KeyQuotaRow;
    key_places: KeyPlaceRow;
    metering_processes: MeteringProcessRow;
    usage_days: UsageDayRow;
  }
}

/** What a key has used of one budget in one minute or month, by all processes that share the database. */
export interface KeyQuotaRow {
  key: string;
  budget: string;
  period: number;
  /** Used, or leased to a process. */
  used: number;
  /** The size of the last lease: `returning` shows new values only, and the lease's owner has to learn it. */
  granted: number;
}

/** How many requests of a key a process may run at once, out of the key's `parallel_requests`. */
export interface KeyPlaceRow {
  process: string;
  key: string;
  places: number;
}

/** A process that leases places. Once `expires_at` has passed, others take its places back. */
export interface MeteringProcessRow {
  id: string;
  expires_at: number;
}

/** What a key used of a model on a pod in a day (UTC, `2026-01-31`). */
export interface UsageDayRow {
  day: string;
  key: string;
  model: string;
  pod: string;
  requests: number;
  failures: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Pages of documents that were read. */
  pages: number;
}

import { fetch } from 'undici';
import type { PodInfo } from '../../contracts/dispatcher/pods.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';

interface ReporterOptions {
  /** Below which `/pods-info/` lies. */
  dispatcher: string;
  /** Sent as the key, where the dispatcher wants one. */
  key?: string | undefined;
  /** Milliseconds between reports. */
  interval: number;
  logger: Logger;
  report: () => Promise<Partial<PodInfo>>;
}

/** Tells the dispatcher how the pod is: at intervals, at once on a change, and when it ends. */
export class Reporter {
  readonly #options: ReporterOptions;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #again = false;
  #ended = false;
  /** Until a report has arrived, the dispatcher may hold the counters of an earlier life. */
  #introduced = false;
  #reachable = true;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** Reports now, and from then on at intervals. A change while a report is on its way is reported after it. */
  changed(): void {
    if (this.#ended) return;
    if (this.#sending) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#sending = this.#send({}).finally(() => {
      this.#sending = undefined;
      if (this.#ended) return;
      const soon = this.#again;
      this.#again = false;
      this.#timer = setTimeout(() => this.changed(), soon ? 0 : this.#options.interval);
    });
  }

  /** When the report that is on its way has arrived, or has failed. */
  async sent(): Promise<void> {
    await this.#sending;
  }

  /** The last report. It waits for an answer, but not long: the process is ending. */
  async dead(reason: string): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await this.#sending;
    await this.#send({ dead: true, status: 'dead', reason });
  }

  async #send(more: Partial<PodInfo>): Promise<void> {
    const { dispatcher, key, logger, report } = this.#options;
    try {
      const response = await fetch(`${dispatcher.replace(/\/+$/, '')}/pods-info/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
        body: JSON.stringify({ ...(await report()), restarted: !this.#introduced, dead: false, ...more }),
        signal: AbortSignal.timeout(3_000),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`it answered ${response.status}`);
      this.#introduced = true;
      if (!this.#reachable) logger.info({ dispatcher }, 'the dispatcher is back');
      this.#reachable = true;
    } catch (error) {
      if (this.#reachable)
        logger.warn({ dispatcher, err: error }, "can't report to the dispatcher; trying again");
      this.#reachable = false;
    }
  }
}

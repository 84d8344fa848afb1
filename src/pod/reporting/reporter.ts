import { fetch } from 'undici';
import type { PodInfo } from '../../contracts/dispatcher/pods.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';

interface ReporterOptions {
  /** Base URL of the dispatcher. */
  dispatcher: string;
  /** API key, if the dispatcher requires one. */
  key?: string | undefined;
  /** Milliseconds between reports. */
  interval: number;
  logger: Logger;
  report: () => Promise<Partial<PodInfo>>;
}

/** Reports the pod's state to the dispatcher: at intervals, at once on a change, and at shutdown. */
export class Reporter {
  readonly #options: ReporterOptions;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #again = false;
  #ended = false;
  /** False until a report has arrived: the dispatcher may still have the counters of an earlier process. */
  #introduced = false;
  #reachable = true;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** Reports now, and then at intervals. A change during a report is sent right after it. */
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

  /** Resolves when the current report has arrived or failed. */
  async sent(): Promise<void> {
    await this.#sending;
  }

  /** Sends the last report. The timeout is short because the process is ending. */
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
      if (!response.ok) throw new Error(`the dispatcher responded with status ${response.status}`);
      this.#introduced = true;
      if (!this.#reachable) logger.info({ dispatcher }, 'reporting to the dispatcher works again');
      this.#reachable = true;
    } catch (error) {
      if (this.#reachable)
        logger.warn({ dispatcher, err: error }, 'could not report to the dispatcher; retrying');
      this.#reachable = false;
    }
  }
}

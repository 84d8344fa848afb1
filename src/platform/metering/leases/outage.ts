import type { Logger } from '../../telemetry/logger.ts';

interface OutageSettings {
  /** How long keys are held to their limits by each process alone, in milliseconds. */
  grace: number;
  /** How long a statement may take before the database counts as away. */
  patience: number;
}

/** After a failure the database is left alone for this long. */
const askAgainAfter = 1000;

/** A statement that the database refused: it answers, so its other answers still count. */
export function isFault(error: unknown): boolean {
  return /^(22|23|42)/.test(String((error as { code?: unknown } | null)?.code ?? ''));
}

/** Knows since when the database has not answered, and keeps requests from waiting for it one by one. */
export class Outage {
  readonly #settings: OutageSettings;
  readonly #logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  #since: number | undefined;
  #askAgainAt = 0;

  constructor(settings: OutageSettings, logger: Pick<Logger, 'error' | 'warn' | 'info'>) {
    this.#settings = settings;
    this.#logger = logger;
  }

  inGrace(): boolean {
    return this.#since === undefined || performance.now() - this.#since < this.#settings.grace;
  }

  /** Runs a statement. `late` is told its result where it comes after this has given up on it. */
  async ask<Result>(statement: () => Promise<Result>, late: (result: Result) => void): Promise<Result> {
    if (this.#since !== undefined && performance.now() < this.#askAgainAt) {
      throw new Error('the database did not answer a moment ago');
    }
    let gaveUp = false;
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        gaveUp = true;
        reject(new Error(`the database did not answer in ${this.#settings.patience} ms`));
      }, this.#settings.patience);
    });
    const answer = statement();
    answer.then(
      (result) => gaveUp && late(result),
      () => undefined,
    );
    try {
      const result = await Promise.race([answer, tooLong]);
      if (this.#since !== undefined)
        this.#logger.info('the database answers again; limits of keys are shared');
      this.#since = undefined;
      return result;
    } catch (error) {
      if (isFault(error)) {
        this.#logger.error({ err: error }, 'a statement for limits of keys failed');
        throw error;
      }
      if (this.#since === undefined) {
        this.#logger.warn(
          { err: error },
          'the database does not answer; this process counts limits of keys alone',
        );
        this.#since = performance.now();
      }
      this.#askAgainAt = performance.now() + askAgainAfter;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

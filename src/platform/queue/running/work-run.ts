import type { Clock } from '../../../contracts/clock.ts';
import type { Session } from '../../database/database.ts';
import { fromJson, toJson } from '../../database/json-column.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { WorkProgress } from '../work-item.ts';
import type { WorkKind } from '../work-kind.ts';
import type { WorkRow } from '../work-row.ts';
import { afterReturn, afterThrow, type Interruption } from './outcomes.ts';
import type { Hold, Outcome, Settlement } from './settle-store.ts';

export interface WorkRunOptions {
  row: WorkRow;
  kind: WorkKind;
  clock: Clock;
  logger: Pick<Logger, 'error' | 'warn'>;
  /** Ends the item inside a transaction; throws where this run is no longer its holder. */
  finish(
    settlement: Settlement,
    effect: (session: Session) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Stores a value inside a transaction; throws where this run is no longer its holder. */
  save(hold: Hold, effect: (session: Session) => Promise<unknown>): Promise<void>;
}

/** One run of a work item: its abort signal, reported progress and outcome. */
export class WorkRun {
  readonly hold: Hold;
  readonly kind: string;
  readonly id: string;
  leaseUntil: number;
  readonly #options: WorkRunOptions;
  readonly #abort = new AbortController();
  #interruption: Interruption | null = null;
  #unsaved: WorkProgress | null = null;
  #finished = false;

  constructor(options: WorkRunOptions) {
    const { seq, runner, claim, kind, id, lease_until } = options.row;
    this.hold = { seq, runner: runner ?? '', claim };
    this.kind = kind;
    this.id = id;
    this.leaseUntil = lease_until ?? 0;
    this.#options = options;
  }

  interrupt(interruption: Interruption): void {
    if (this.#interruption) return;
    this.#interruption = interruption;
    this.#abort.abort(new DOMException(`The work was interrupted (${interruption}).`, 'AbortError'));
  }

  /** Whether the handler has ended the item itself. */
  get finished(): boolean {
    return this.#finished;
  }

  get resumable(): boolean {
    return this.#options.kind.afterCrash === 'resume';
  }

  takeProgress(): string | null {
    const progress = this.#unsaved;
    this.#unsaved = null;
    return progress && toJson(progress);
  }

  /** Never rejects. Null if the handler ended the item itself with `finish`. */
  async settle(): Promise<Settlement | null> {
    const outcome = await this.#outcome();
    return this.#finished ? null : this.#settlement(outcome);
  }

  async #outcome(): Promise<Outcome> {
    const { row, kind, clock, logger } = this.#options;
    try {
      return afterReturn(await kind.run(this.#context()));
    } catch (error) {
      if (!this.#interruption) logger.error({ err: error, job: row.id, kind: row.kind }, 'work failed');
      return afterThrow(kind, row, error, this.#interruption, clock.now());
    }
  }

  #settlement(outcome: Outcome): Settlement {
    return { ...this.hold, outcome, progress: this.takeProgress() };
  }

  #context() {
    const { row, finish, save } = this.#options;
    return {
      id: row.id,
      name: row.name,
      payload: fromJson<unknown>(row.payload),
      attempt: row.attempts,
      progress: fromJson<WorkProgress>(row.progress),
      signal: this.#abort.signal,
      report: (progress: WorkProgress) => {
        this.#unsaved = progress;
      },
      saved: fromJson<unknown>(row.result),
      save: (effect: (session: Session) => Promise<unknown>) => save(this.hold, effect),
      finish: async (effect: (session: Session) => Promise<unknown>) => {
        await finish(this.#settlement(afterReturn(null)), effect, this.#abort.signal);
        this.#finished = true;
      },
    };
  }
}

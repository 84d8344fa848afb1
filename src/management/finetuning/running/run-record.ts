import type {
  Hyperparameters,
  LossPoint,
  TrainingProgress,
} from '../../../contracts/management/finetuning.ts';
import type { Session } from '../../../platform/database/database.ts';
import { type FinetuneRun, updateRun } from '../finetune-store.ts';
import type { TrainerLine } from '../trainer/trainer-lines.ts';
import { upToStep, withPoint } from './loss-curve.ts';

type Line<Event extends TrainerLine['event']> = Extract<TrainerLine, { event: Event }>;

/** Milliseconds between two writes; a fast run takes many steps per second. */
const writeInterval = 1_000;

/** Follows the trainer's output and saves a run's progress to its row. */
export class RunRecord {
  hyperparameters: Hyperparameters;
  progress: TrainingProgress | null;
  curve: LossPoint[];
  readonly #id: string;
  readonly #session: Session;
  readonly #onError: (error: unknown) => void;
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(run: FinetuneRun, session: Session, onError: (error: unknown) => void) {
    this.#id = run.id;
    this.#session = session;
    this.#onError = onError;
    this.hyperparameters = run.hyperparameters;
    this.progress = run.progress;
    this.curve = run.curve;
  }

  follow(line: TrainerLine): void {
    if (line.event === 'plan') this.#plan(line);
    else if (line.event === 'progress') this.#step(line);
  }

  /** The current values, for the caller's own write. */
  get values() {
    const { hyperparameters, progress, curve } = this;
    return { hyperparameters, progress, curve };
  }

  /** Writes pending changes. */
  async close(): Promise<void> {
    if (this.#timer) this.#write();
    await this.#writing;
  }

  #plan({ hyperparameters, steps, resumed_from }: Line<'plan'>): void {
    const step = resumed_from ?? 0;
    this.hyperparameters = hyperparameters;
    this.curve = upToStep(this.curve, step);
    const last = this.curve.at(-1);
    this.progress = {
      step,
      total: steps,
      loss: last?.loss ?? null,
      eval_loss: last?.eval_loss ?? null,
      tokens_per_second: null,
      remaining_seconds: null,
    };
    this.#scheduleWrite();
  }

  #step({ event: _, ...step }: Line<'progress'>): void {
    const { loss, eval_loss } = step;
    // Between evaluations, the last value is shown.
    this.progress = { ...step, eval_loss: eval_loss ?? this.progress?.eval_loss ?? null };
    this.curve = withPoint(this.curve, { step: step.step, loss, eval_loss });
    this.#scheduleWrite();
  }

  #scheduleWrite(): void {
    this.#timer ??= setTimeout(() => this.#write(), writeInterval);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing
      .then(() => updateRun(this.#session, this.#id, this.values))
      .catch(this.#onError);
  }
}

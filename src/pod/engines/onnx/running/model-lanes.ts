import type { Pooling } from '../recipe.ts';
import type { Sequence } from '../sequence.ts';
import { isSameRow } from './is-same-row.ts';
import type { ModelDescription, ModelRequest, ModelResult, ModelSettings } from './model-thread.ts';
import { type Lanes, planLanes } from './plan-lanes.ts';
import { Thread } from './thread.ts';

type Lane = Thread<ModelRequest, ModelResult>;

export interface LaneSettings extends ModelSettings {
  weightBytes: number;
}

export interface Wanted {
  output: string;
  pooling: Pooling;
}

/**
 * A model in one or more threads. It is loaded once if it can run batches. If a sequence's result would depend on the
 * rest of its batch, each sequence runs alone, and several copies of the model use the cores instead.
 */
export class ModelLanes {
  readonly #settings: LaneSettings;
  #lanes: Lane[];
  #alone = false;

  constructor(settings: LaneSettings) {
    this.#settings = settings;
    this.#lanes = this.#create({ count: 1, threads: settings.threads });
  }

  /** Number of lanes. A lane loads its copy of the model on first use. */
  get count(): number {
    return this.#lanes.length;
  }

  async describe(): Promise<ModelDescription> {
    const answer = await this.#lane(0).call({ kind: 'describe' });
    return (answer as { description: ModelDescription }).description;
  }

  /**
   * Runs sequences of different lengths together and alone, and runs all later ones alone if the results differ. They
   * differ in dynamically quantised models, which scale activations by the extremes of the whole batch, including
   * padding.
   */
  async chooseMode(sequences: Sequence[], wanted: Wanted): Promise<void> {
    const together = await this.run(0, sequences, wanted);
    this.#alone = true;
    const alone = await this.run(0, sequences, wanted);
    this.#alone = !alone.every((row, index) => isSameRow(row, together[index] as Float32Array));
    if (!this.#alone) return;
    const lanes = planLanes(this.#settings.threads, this.#settings.weightBytes);
    // The model must be reloaded with the new thread count, because results must not depend on the lane.
    if (lanes.count === 1) return;
    await this.close();
    this.#lanes = this.#create(lanes);
  }

  async run(lane: number, sequences: Sequence[], wanted: Wanted): Promise<Float32Array[]> {
    const result = await this.#lane(lane).call({ kind: 'run', sequences, ...wanted, alone: this.#alone });
    return (result as { rows: Float32Array[] }).rows;
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  #lane(number: number): Lane {
    return this.#lanes[number] as Lane;
  }

  #create({ count, threads }: Lanes): Lane[] {
    const { weights, padding } = this.#settings;
    const settings: ModelSettings = { weights, padding, threads };
    const script = new URL('./model-thread.ts', import.meta.url);
    return Array.from({ length: count }, () => new Thread(script, settings));
  }
}

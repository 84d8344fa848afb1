import type { Pooling } from '../recipe.ts';
import type { Sequence } from '../sequence.ts';
import { isAlikeRow, isSameRow } from './is-same-row.ts';
import type { ModelDescription, ModelRequest, ModelResult, ModelSettings } from './model-thread.ts';
import { type Lanes, planLanes } from './plan-lanes.ts';
import { Thread } from './thread.ts';

type Lane = Thread<ModelRequest, ModelResult>;

export interface LaneSettings extends Omit<ModelSettings, 'scaleByRow'> {
  weightBytes: number;
}

export interface Wanted {
  output: string;
  pooling: Pooling;
}

/** Largest batch of a model with scales per row: its additional passes over the activations should stay in the cache. */
const tokensPerThread = 256;

/**
 * A model in one or more threads. It is loaded once if it can run batches. If a sequence's result would depend on the
 * rest of its batch, the model is changed to quantise each row by itself. Where that does not help, each sequence runs
 * alone, and several copies of the model use the cores instead.
 */
export class ModelLanes {
  readonly #settings: LaneSettings;
  #lanes: Lane[];
  #alone = false;
  #scaleByRow = false;

  constructor(settings: LaneSettings) {
    this.#settings = settings;
    this.#lanes = this.#create({ count: 1, threads: settings.threads });
  }

  /** Number of lanes. A lane loads its copy of the model on first use. */
  get count(): number {
    return this.#lanes.length;
  }

  /** Maximum number of tokens per batch; undefined if the model has no preference. */
  get batchTokens(): number | undefined {
    return this.#scaleByRow ? tokensPerThread * this.#settings.threads : undefined;
  }

  /** How sequences are run. */
  get mode(): 'batches' | 'scaled by row' | 'alone' {
    if (this.#alone) return 'alone';
    return this.#scaleByRow ? 'scaled by row' : 'batches';
  }

  async describe(): Promise<ModelDescription> {
    const answer = await this.#lane(0).call({ kind: 'describe' });
    return (answer as { description: ModelDescription }).description;
  }

  /**
   * Runs sequences of different lengths together and alone. The results differ in dynamically quantised models, which
   * scale activations by the extremes of the whole batch, including padding.
   */
  async chooseMode(sequences: Sequence[], wanted: Wanted): Promise<void> {
    const alone = await this.#runAlone(sequences, wanted);
    if (areAll(isSameRow, alone, await this.run(0, sequences, wanted))) return;
    await this.#reload({ count: 1, threads: this.#settings.threads }, true);
    if (await this.#isFit(sequences, wanted, alone)) return;
    this.#alone = true;
    // The lanes are loaded with their own thread count, because results must not depend on the lane.
    await this.#reload(planLanes(this.#settings.threads, this.#settings.weightBytes), false);
  }

  async run(lane: number, sequences: Sequence[], wanted: Wanted): Promise<Float32Array[]> {
    const result = await this.#lane(lane).call({ kind: 'run', sequences, ...wanted, alone: this.#alone });
    return (result as { rows: Float32Array[] }).rows;
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  /** Whether the changed model gives the same results together as alone, and about those of the original. */
  async #isFit(sequences: Sequence[], wanted: Wanted, original: Float32Array[]): Promise<boolean> {
    try {
      const alone = await this.#runAlone(sequences, wanted);
      const together = await this.run(0, sequences, wanted);
      return areAll(isSameRow, alone, together) && areAll(isAlikeRow, original, alone);
    } catch {
      // The file can't be changed, or the runtime rejects the changed model.
      return false;
    }
  }

  async #runAlone(sequences: Sequence[], wanted: Wanted): Promise<Float32Array[]> {
    const rows: Float32Array[] = [];
    for (const sequence of sequences) rows.push(...(await this.run(0, [sequence], wanted)));
    return rows;
  }

  async #reload(lanes: Lanes, scaleByRow: boolean): Promise<void> {
    await this.close();
    this.#scaleByRow = scaleByRow;
    this.#lanes = this.#create(lanes);
  }

  #lane(number: number): Lane {
    return this.#lanes[number] as Lane;
  }

  #create({ count, threads }: Lanes): Lane[] {
    const { weights, padding } = this.#settings;
    const settings: ModelSettings = { weights, padding, threads, scaleByRow: this.#scaleByRow };
    const script = new URL('./model-thread.ts', import.meta.url);
    return Array.from({ length: count }, () => new Thread(script, settings));
  }
}

function areAll(
  compare: (a: Float32Array, b: Float32Array) => boolean,
  rows: Float32Array[],
  others: Float32Array[],
): boolean {
  return rows.every((row, index) => compare(row, others[index] as Float32Array));
}

import { Unavailable } from '../../contracts/problems.ts';
import type { Engine } from '../engine.ts';
import { fingerprintOf, type ServedModel } from './served-model.ts';
import type { PodStatistics } from './statistics.ts';

/** A pod as its routes see it: the model, its engine once loaded, and the statistics. */
export class Pod {
  readonly served: ServedModel;
  readonly statistics: PodStatistics;
  /** Seconds since 1970. */
  readonly created = Math.floor(Date.now() / 1000);
  readonly #version: string;
  readonly #onChange: () => void;
  #engine: Engine | undefined;
  #fingerprint = '';

  constructor(served: ServedModel, statistics: PodStatistics, version: string, onChange: () => void) {
    this.served = served;
    this.statistics = statistics;
    this.#version = version;
    this.#onChange = onChange;
  }

  loaded(engine: Engine): void {
    this.#engine = engine;
    this.#fingerprint = fingerprintOf(this.served, engine, this.#version);
    this.changed();
  }

  get engine(): Engine {
    if (this.#engine) return this.#engine;
    throw new Unavailable(`the model '${this.served.served_model_name}' is being loaded`, { retryAfter: 5 });
  }

  get isLoaded(): boolean {
    return this.#engine !== undefined;
  }

  get fingerprint(): string {
    return this.#fingerprint;
  }

  /** Reports a change to the dispatcher at once. */
  changed(): void {
    this.#onChange();
  }
}

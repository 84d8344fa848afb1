import type { Clock } from '../../contracts/clock.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { LayoutModelPaths, LayoutModels } from './open-layout-models.ts';

interface SupplyDependencies {
  models: LayoutModels;
  clock: Clock;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** Milliseconds until a download that failed is tried again: networks without a package mirror have no models. */
const pauseAfterFailure = 600_000;

/** The layout models for requests. They are fetched when a request first needs them. */
export class ModelSupply {
  readonly #deps: SupplyDependencies;
  readonly #closing = new AbortController();
  #fetching: Promise<LayoutModelPaths | undefined> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: SupplyDependencies) {
    this.#deps = deps;
  }

  /** The models, if they are here. */
  get(): LayoutModelPaths | undefined {
    return this.#deps.models.find();
  }

  /** Waits until the models are here; undefined if they can't be fetched. */
  async fetch(): Promise<LayoutModelPaths | undefined> {
    const present = this.get();
    if (present || this.#deps.clock.now() - this.#failedAt < pauseAfterFailure) return present;
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#fetching;
  }

  async #fetch(): Promise<LayoutModelPaths | undefined> {
    const { models, clock, logger } = this.#deps;
    logger.info('downloading the layout models (24 MB)');
    try {
      const paths = await models.fetch({ signal: this.#closing.signal });
      logger.info('the layout models are ready');
      return paths;
    } catch (error) {
      if (this.#closing.signal.aborted) return undefined;
      this.#failedAt = clock.now();
      const how = "pages are read without them; 'roundhouse setup layout' fetches them";
      logger.warn({ err: error }, `the layout models could not be downloaded: ${how}`);
      return undefined;
    }
  }
}

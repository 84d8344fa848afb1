import { setTimeout as pause } from 'node:timers/promises';
import {
  DeadlineExceeded,
  NotFound,
  type Problem,
  RateLimited,
  Unavailable,
  UpstreamFailed,
} from '../../../contracts/problems.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';

export interface ModelDirectory {
  current(signal: AbortSignal): Promise<{ name: string } | null>;
  isServed(name: string): Promise<boolean>;
}

/** Another embeddings model has taken the place of this one, or it has been away for too long. */
export class ModelReplaced extends Error {
  constructor(model: string) {
    super(`the embeddings model '${model}' is no longer served`);
    this.name = 'ModelReplaced';
  }
}

const firstDelay = 500;
const longestDelay = 30_000;
/** A model that is there but fails is not waited for without end. */
const mostFailures = 8;

interface Waiting {
  models: ModelDirectory;
  logger: Pick<Logger, 'info' | 'warn'>;
  model: string;
  /** Milliseconds after which a model that is away counts as replaced. Without it, the wait has no end. */
  patience?: number | undefined;
  signal: AbortSignal;
}

/**
 * Waits after failed calls of a model: without end while it is away, since it may be deployed again, but only a few
 * times while it answers with errors. Any other problem is thrown.
 */
export function awaitModel({ models, logger, model, patience = Number.POSITIVE_INFINITY, signal }: Waiting) {
  let [tries, failures, since] = [0, 0, 0];
  return {
    worked(): void {
      if (tries > 0) logger.info({ model }, 'the embeddings model answers again');
      [tries, failures] = [0, 0];
    },
    async failed(error: unknown): Promise<void> {
      signal.throwIfAborted();
      if (!isAway(error) || (error instanceof UpstreamFailed && ++failures > mostFailures)) throw error;
      if (tries === 0) since = performance.now();
      const isLate = performance.now() - since > patience;
      if (isLate || (await isReplaced(models, model, signal))) throw new ModelReplaced(model);
      if (tries === 0) logger.warn({ model, err: error }, 'waiting for the embeddings model');
      const backOff = Math.min(longestDelay, firstDelay * 2 ** Math.min(tries++, 10));
      await wait(Math.min(longestDelay, Math.max(backOff, (error.retryAfter ?? 0) * 1000)), signal);
    },
  };
}

/** A model that is not known is not deployed at present. */
const isAway = (error: unknown): error is Problem =>
  [Unavailable, RateLimited, DeadlineExceeded, UpstreamFailed, NotFound].some(
    (type) => error instanceof type,
  );

async function isReplaced(models: ModelDirectory, model: string, signal: AbortSignal): Promise<boolean> {
  const current = await models.current(signal).catch(() => null);
  if (!current || current.name === model) return false;
  return !(await models.isServed(model).catch(() => true));
}

async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch((error) => {
    signal.throwIfAborted();
    throw error;
  });
}

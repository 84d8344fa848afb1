import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';

export interface ProbePolicy {
  /** Milliseconds between two requests. */
  interval: number;
  /** Milliseconds that one request may take. */
  timeout: number;
  /** Misses in a row after which the pod counts as stuck. */
  failures: number;
}

export const defaultProbePolicy: ProbePolicy = { interval: 10_000, timeout: 30_000, failures: 6 };

/**
 * Sends health requests to a pod and calls back once it has missed too many in a row. A pod answers them from its event
 * loop, so one that is busy with a long prompt still does. Any answer counts. Returns a function that stops it.
 */
export function watchHealth(address: string, policy: ProbePolicy, onStuck: () => void): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const watch = async () => {
    for (let misses = 0; misses < policy.failures; ) {
      await sleep(policy.interval, undefined, { signal, ref: false });
      misses = (await answers(address, policy.timeout, signal)) ? 0 : misses + 1;
    }
    if (!signal.aborted) onStuck();
  };
  // Only stopping it rejects.
  if (policy.failures > 0) watch().catch(() => {});
  return () => stopping.abort();
}

async function answers(address: string, timeout: number, signal: AbortSignal): Promise<boolean> {
  try {
    const { body } = await request(`${address}/healthz`, {
      headersTimeout: timeout,
      bodyTimeout: timeout,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    });
    await body.dump();
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

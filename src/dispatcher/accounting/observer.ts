import type { UsageLedger } from '../../platform/metering/usage/usage-ledger.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { FinishedRequest } from '../calls/exchange/finished-request.ts';
import type { AccessLog } from './log/access-log.ts';
import type { Meters } from './meters.ts';

/** Called with each request when it has ended. */
export type Observer = (request: FinishedRequest) => void;

/**
 * Calls all observers. If one throws, the error is logged and affects neither the request nor the other observers.
 */
export function observeWith(observers: readonly Observer[], logger: Pick<Logger, 'error'>): Observer {
  return (request) => {
    for (const observe of observers) {
      try {
        observe(request);
      } catch (error) {
        logger.error({ err: error, request_id: request.requestId }, 'a request observer failed');
      }
    }
  };
}

/** The observers of every dispatcher: metrics, usage per key, and the access log if it is enabled. */
export function standardObservers(
  meters: Meters,
  usage: UsageLedger,
  log: AccessLog | undefined,
): readonly Observer[] {
  const observers: Observer[] = [
    (request) => meters.observe(request),
    (request) => recordUsage(usage, request),
  ];
  if (log) observers.push((request) => log.observe(request));
  return observers;
}

/** Requests that reached no pod are not recorded. */
function recordUsage(
  ledger: UsageLedger,
  { key, model, pod, status, failure, usage }: FinishedRequest,
): void {
  if (pod === undefined) return;
  const failed = status >= 400 || failure !== '';
  ledger.record(key, model, pod, failed, usage?.promptTokens ?? 0, usage?.completionTokens ?? 0);
}

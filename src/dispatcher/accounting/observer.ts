import type { UsageLedger } from '../../platform/metering/usage/usage-ledger.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { FinishedRequest } from '../calls/finished-request.ts';
import type { AccessLog } from './log/access-log.ts';
import type { Meters } from './meters.ts';

/** Told of each request once it is over. */
export type Observer = (request: FinishedRequest) => void;

/** Tells all observers. What one of them throws is logged and reaches neither the request nor the others. */
export function observeWith(observers: readonly Observer[], logger: Pick<Logger, 'error'>): Observer {
  return (request) => {
    for (const observe of observers) {
      try {
        observe(request);
      } catch (error) {
        logger.error({ err: error, request_id: request.requestId }, 'an observer of requests failed');
      }
    }
  };
}

/** The observers of every dispatcher: metrics, usage by key, and the access log where it is on. */
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

/** Requests that reached no pod used nothing. */
function recordUsage(
  ledger: UsageLedger,
  { key, model, pod, status, failure, usage }: FinishedRequest,
): void {
  if (pod === undefined) return;
  const failed = status >= 400 || failure !== '';
  ledger.record(key, model, pod, failed, usage?.promptTokens ?? 0, usage?.completionTokens ?? 0);
}

import { admits } from './circuit-breaker.ts';
import type { SchedulablePod } from './pod.ts';

export function isLive(pod: Pick<SchedulablePod, 'expiresAt'>, now: number): boolean {
  return now < pod.expiresAt;
}

export function hasRoom(pod: Pick<SchedulablePod, 'inFlight' | 'maxConnections'>): boolean {
  return pod.inFlight < pod.maxConnections;
}

export function isTrusted(pod: Pick<SchedulablePod, 'breaker'>, now: number): boolean {
  return admits(pod.breaker, now);
}

import type { Fleet, RoutingRequest, SchedulablePod, Scorer } from './pod.ts';

/** How far above the mean a busy pod may be before the cache it holds stops drawing more requests to it. */
const fairShare = 1.25;
const slack = 2;
/** What a pod that does not say how much it can do is taken to do well at once. */
const assumedConnections = 32;

/** The part of the prompt whose computation the pod likely still holds. A hot pod has none to offer. */
export const prefixAffinity: Scorer = (request, pod, fleet) => {
  if (request.prefixBlocks === 0) return 0;
  const depth = request.prefixDepths.get(pod.cacheId);
  if (depth === undefined || isHot(pod, fleet)) return 0;
  return depth / request.prefixBlocks;
};

/**
 * How full the pod is, by its own word or by our count, whichever is more: one that reports too little is still
 * seen, and one that reports nonsense is only liked less, never shut out.
 */
export const relativeLoad: Scorer = (_request, pod) => {
  const capacity = Number.isFinite(pod.maxConnections) ? pod.maxConnections : assumedConnections;
  const running = Math.max(pod.inFlight, pod.reportedRunning);
  return Math.min(1, running / capacity);
};

/** Whether the adapter is likely in the engine's memory, so that nothing has to be loaded first. */
export const adapterResidency: Scorer = (request: RoutingRequest, pod: SchedulablePod) =>
  request.adapter !== null && pod.recentAdapters.includes(request.adapter) ? 1 : 0;

/**
 * Affinity without a bound makes hot spots: one long shared prompt would draw everybody to a single pod. A pod that
 * has nothing to do is never hot, so that a lone conversation stays where it is.
 */
function isHot(pod: SchedulablePod, fleet: Fleet): boolean {
  if (pod.inFlight === 0) return false;
  return (
    pod.inFlight > fairShare * fleet.meanInFlight + slack ||
    pod.recentWork > fairShare * fleet.meanWork + slack
  );
}

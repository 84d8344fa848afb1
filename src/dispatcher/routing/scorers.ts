import type { Fleet, RoutingRequest, SchedulablePod, Scorer } from './pod.ts';

/** How far above the mean a pod's load may be before its cached prefixes stop attracting requests. */
const hotFactor = 1.25;
const slack = 2;
/** Assumed capacity of a pod that does not report one. */
const assumedConnections = 32;

/** The part of the prompt that the pod has probably cached; 0 for a hot pod. */
export const prefixAffinity: Scorer = (request, pod, fleet) => {
  if (request.prefixBlocks === 0) return 0;
  const depth = request.prefixDepths.get(pod.cacheId);
  if (depth === undefined || isHot(pod, fleet)) return 0;
  return depth / request.prefixBlocks;
};

/**
 * The pod's load, by its own report or by our count, whichever is higher. This covers pods that report too little; a
 * pod that reports nonsense scores lower but is never excluded.
 */
export const relativeLoad: Scorer = (_request, pod) => {
  const capacity = Number.isFinite(pod.maxConnections) ? pod.maxConnections : assumedConnections;
  const running = Math.max(pod.inFlight, pod.reportedRunning);
  return Math.min(1, running / capacity);
};

/** Whether the engine probably has the adapter in memory already. */
export const adapterResidency: Scorer = (request: RoutingRequest, pod: SchedulablePod) =>
  request.adapter !== null && pod.recentAdapters.includes(request.adapter) ? 1 : 0;

/**
 * Unbounded affinity creates hot spots: one long shared prompt would attract all requests to a single pod. An idle
 * pod is never hot, so a lone conversation stays where it is.
 */
function isHot(pod: SchedulablePod, fleet: Fleet): boolean {
  if (pod.inFlight === 0) return false;
  return (
    pod.inFlight > hotFactor * fleet.meanInFlight + slack ||
    pod.recentWork > hotFactor * fleet.meanWork + slack
  );
}

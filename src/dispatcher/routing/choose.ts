import { hasRoom, isLive, isTrusted } from './eligibility.ts';
import type { Fleet, RoutingRequest, SchedulablePod, Scorer } from './pod.ts';
import { adapterResidency, prefixAffinity, relativeLoad } from './scorers.ts';

export type Policy = 'cache-aware' | 'least-load' | 'round-robin';

export interface Weights {
  prefix: number;
  load: number;
  adapter: number;
}

interface WeightedScorer {
  weight: number;
  score: Scorer;
}

/** With more candidates than this, looking at each would cost more than a slightly better choice gains. */
const mostCandidates = 64;

/** The pod; or `full`: live pods exist and have no room; or `none`: there is no live pod. */
export type Choice<P> = P | 'full' | 'none';

export interface ChooseOptions {
  now: number;
  /** Pods that have failed this very request. */
  except: readonly SchedulablePod[];
}

export function scorersOf(policy: Policy, weights: Weights): WeightedScorer[] {
  if (policy === 'round-robin') return [];
  const load = { weight: -weights.load, score: relativeLoad };
  if (policy === 'least-load') return [load];
  return [
    { weight: weights.prefix, score: prefixAffinity },
    load,
    { weight: weights.adapter, score: adapterResidency },
  ];
}

/** Builds the function that picks a pod for a request: filter, score, best. Equals take turns, or the one that did least wins. */
export function chooser(policy: Policy, weights: Weights) {
  const scorers = scorersOf(policy, weights);
  const fleet: Fleet = { meanInFlight: 0, meanWork: 0 };
  const isNext = policy === 'round-robin' ? waitedLonger : didLess;

  return function choose<P extends SchedulablePod>(
    pods: readonly P[],
    request: RoutingRequest,
    options: ChooseOptions,
  ): Choice<P> {
    // A single pod, by far the commonest fleet, needs no scoring.
    const candidates = pods.length > 1 ? sample(eligible(pods, options), request) : eligible(pods, options);
    if (typeof candidates === 'string') return candidates;
    if (candidates.length === 1) return candidates[0] as P;
    measure(candidates, fleet);
    let best: P | undefined;
    let bestScore = Number.NEGATIVE_INFINITY;
    for (const pod of candidates) {
      let score = 0;
      for (const scorer of scorers) score += scorer.weight * scorer.score(request, pod, fleet);
      if (score > bestScore || (score === bestScore && best && isNext(pod, best))) {
        best = pod;
        bestScore = score;
      }
    }
    return best as P;
  };
}

/**
 * Live pods with room and a closed breaker. Where every breaker is open they are all tried nevertheless: a request
 * that fails is no worse than one that is refused.
 */
function eligible<P extends SchedulablePod>(
  pods: readonly P[],
  options: ChooseOptions,
): P[] | 'full' | 'none' {
  const { now, except } = options;
  const trusted: P[] = [];
  const distrusted: P[] = [];
  let live = 0;
  for (const pod of pods) {
    if (!isLive(pod, now) || (except.length > 0 && except.includes(pod))) continue;
    live++;
    if (!hasRoom(pod)) continue;
    (isTrusted(pod, now) ? trusted : distrusted).push(pod);
  }
  if (trusted.length > 0) return trusted;
  if (distrusted.length > 0 && distrusted.length === live) return distrusted;
  return live > 0 ? 'full' : 'none';
}

/** Of a great many candidates: those that hold some of the prompt, and a random few of the rest. */
function sample<P extends SchedulablePod>(candidates: P[] | 'full' | 'none', request: RoutingRequest) {
  if (typeof candidates === 'string' || candidates.length <= mostCandidates) return candidates;
  const chosen = candidates
    .filter((pod) => request.prefixDepths.has(pod.cacheId))
    .slice(0, mostCandidates / 2);
  while (chosen.length < mostCandidates) {
    chosen.push(candidates[Math.floor(Math.random() * candidates.length)] as P);
  }
  return chosen;
}

function waitedLonger(pod: SchedulablePod, other: SchedulablePod): boolean {
  return pod.lastTurn < other.lastTurn;
}

function didLess(pod: SchedulablePod, other: SchedulablePod): boolean {
  return pod.recentWork < other.recentWork;
}

function measure(pods: readonly SchedulablePod[], fleet: Fleet): void {
  let inFlight = 0;
  let work = 0;
  for (const pod of pods) {
    inFlight += pod.inFlight;
    work += pod.recentWork;
  }
  fleet.meanInFlight = inFlight / pods.length;
  fleet.meanWork = work / pods.length;
}

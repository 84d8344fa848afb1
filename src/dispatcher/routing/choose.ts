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

/** With more candidates than this, scoring each would cost more than a slightly better choice gains. */
const maxCandidates = 64;

/** The chosen pod; `full` if live pods exist but have no free capacity; `none` if no pod is live. */
export type Choice<P> = P | 'full' | 'none';

export interface ChooseOptions {
  now: number;
  /** Pods that have already failed this request. */
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

/**
 * Builds the function that picks a pod for a request: filter, score, take the best. Ties go to the pod that was
 * chosen longest ago (round-robin) or that has the least recent work.
 */
export function chooser(policy: Policy, weights: Weights) {
  const scorers = scorersOf(policy, weights);
  const fleet: Fleet = { meanInFlight: 0, meanWork: 0 };
  const breaksTie = policy === 'round-robin' ? isChosenLessRecently : hasLessRecentWork;

  return function choose<P extends SchedulablePod>(
    pods: readonly P[],
    request: RoutingRequest,
    options: ChooseOptions,
  ): Choice<P> {
    if (pods.length === 1) return onlyChoice(pods[0] as P, options);
    const candidates = sample(eligible(pods, options), request);
    if (typeof candidates === 'string') return candidates;
    if (candidates.length === 1) return candidates[0] as P;
    measure(candidates, fleet);
    let best: P | undefined;
    let bestScore = Number.NEGATIVE_INFINITY;
    for (const pod of candidates) {
      let score = 0;
      for (const scorer of scorers) score += scorer.weight * scorer.score(request, pod, fleet);
      if (score > bestScore || (score === bestScore && best && breaksTie(pod, best))) {
        best = pod;
        bestScore = score;
      }
    }
    return best as P;
  };
}

/** A single pod, by far the most common case, needs no comparison. An open breaker does not exclude it: see `eligible`. */
function onlyChoice<P extends SchedulablePod>(pod: P, { now, except }: ChooseOptions): Choice<P> {
  if (!isLive(pod, now) || except.includes(pod)) return 'none';
  return hasRoom(pod) ? pod : 'full';
}

/**
 * Live pods with free capacity and a closed breaker. If the breakers of all live pods are open, all are candidates: a
 * request that fails is no worse than one that is rejected.
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

/** From many candidates: those that have cached part of the prompt, and random others. */
function sample<P extends SchedulablePod>(candidates: P[] | 'full' | 'none', request: RoutingRequest) {
  if (typeof candidates === 'string' || candidates.length <= maxCandidates) return candidates;
  const chosen = candidates
    .filter((pod) => request.prefixDepths.has(pod.cacheId))
    .slice(0, maxCandidates / 2);
  while (chosen.length < maxCandidates) {
    chosen.push(candidates[Math.floor(Math.random() * candidates.length)] as P);
  }
  return chosen;
}

function isChosenLessRecently(pod: SchedulablePod, other: SchedulablePod): boolean {
  return pod.lastTurn < other.lastTurn;
}

function hasLessRecentWork(pod: SchedulablePod, other: SchedulablePod): boolean {
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

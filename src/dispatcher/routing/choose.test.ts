import { describe, expect, it } from 'vitest';
import { chooser } from './choose.ts';
import { closedBreaker } from './circuit-breaker.ts';
import type { RoutingRequest, SchedulablePod } from './pod.ts';

const weights = { prefix: 1, load: 1, adapter: 0.5 };
const now = 1000;

function pod(cacheId: number, changes: Partial<SchedulablePod> = {}): SchedulablePod {
  return {
    id: `pod-${cacheId}`,
    cacheId,
    task: 'llm',
    expiresAt: now + 1,
    inFlight: 0,
    reportedRunning: 0,
    maxConnections: 8,
    recentAdapters: [],
    recentWork: 0,
    lastTurn: 0,
    breaker: closedBreaker(),
    ...changes,
  };
}

function request(changes: Partial<RoutingRequest> = {}): RoutingRequest {
  return { adapter: null, prefixDepths: new Map(), prefixBlocks: 10, ...changes };
}

function chosen(
  policy: Parameters<typeof chooser>[0],
  pods: SchedulablePod[],
  asked = request(),
  except = [] as SchedulablePod[],
) {
  const choice = chooser(policy, weights)(pods, asked, { now, except });
  return typeof choice === 'string' ? choice : choice.id;
}

describe('choosing a pod', () => {
  it('returns none without a live pod, and full if live pods have no free capacity', () => {
    expect(chosen('cache-aware', [])).toBe('none');
    expect(chosen('cache-aware', [pod(1, { expiresAt: now })])).toBe('none');
    expect(chosen('cache-aware', [pod(1, { inFlight: 8 })])).toBe('full');
  });

  it('prefers the pod that has cached the prompt, until its load outweighs that', () => {
    const asked = request({ prefixDepths: new Map([[2, 6]]) });
    expect(chosen('cache-aware', [pod(1), pod(2, { inFlight: 2 })], asked)).toBe('pod-2');
    expect(chosen('cache-aware', [pod(1), pod(2, { inFlight: 7 })], asked)).toBe('pod-1');
  });

  it('does not send all requests to the one busy pod that has cached a shared prompt', () => {
    const asked = request({ prefixDepths: new Map([[1, 10]]) });
    const busy = pod(1, { inFlight: 4, maxConnections: 1000, recentWork: 90 });
    expect(chosen('cache-aware', [busy, pod(2), pod(3)], asked)).not.toBe('pod-1');
    expect(chosen('cache-aware', [{ ...busy, inFlight: 0 }, pod(2), pod(3)], asked)).toBe('pod-1');
  });

  it('uses the higher of reported and counted load, and excludes no pod for a wrong report', () => {
    expect(chosen('least-load', [pod(1, { reportedRunning: 5 }), pod(2, { inFlight: 4 })])).toBe('pod-2');
    expect(chosen('least-load', [pod(1, { reportedRunning: 0, inFlight: 5 }), pod(2, { inFlight: 4 })])).toBe(
      'pod-2',
    );
    expect(chosen('least-load', [pod(1, { reportedRunning: 1e9 })])).toBe('pod-1');
  });

  it('prefers the pod that used the adapter last', () => {
    const asked = request({ adapter: 'poet' });
    expect(chosen('cache-aware', [pod(1), pod(2, { recentAdapters: ['poet'] })], asked)).toBe('pod-2');
  });

  it('takes turns with round-robin', () => {
    expect(
      chosen('round-robin', [pod(1, { lastTurn: 3 }), pod(2, { lastTurn: 1 }), pod(3, { lastTurn: 2 })]),
    ).toBe('pod-2');
  });

  it('excludes pods that failed this request and pods with an open breaker', () => {
    const first = pod(1);
    const second = pod(2, { inFlight: 3 });
    expect(chosen('least-load', [first, second], request(), [first])).toBe('pod-2');
    expect(chosen('least-load', [first], request(), [first])).toBe('none');
    const open = { ...closedBreaker(), openUntil: now + 5 };
    expect(chosen('least-load', [pod(1, { breaker: open }), second])).toBe('pod-2');
    expect(chosen('least-load', [pod(1, { breaker: open })])).toBe('pod-1');
  });

  it('chooses well among thousands without scoring each', () => {
    const many = Array.from({ length: 5000 }, (_, index) => pod(index + 1, { inFlight: 4 }));
    const asked = request({ prefixDepths: new Map([[4321, 10]]) });
    expect(chosen('cache-aware', many, asked)).toBe('pod-4321');
  });
});

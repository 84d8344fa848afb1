import { join } from 'node:path';
import { startNginxProxy } from './nginx.ts';
import { isPresent, startRouter } from './peers.ts';
import { memory, startServer, type Target } from './processes.ts';
import { startRoundhouse } from './roundhouse.ts';
import { readStream } from './stream-caller.ts';
import { atLeast, atMost, percentile, type Verdict } from './verdicts.ts';

interface StreamResult {
  p50: number;
  p99: number;
  perSecond: number;
  expected: number;
  received: number;
  memory: number;
}

const interval = 50;

/** Measures event streams: added delay of chunks, chunks per second, and memory. */
export async function streams(seconds: number, rounds: number): Promise<Verdict[]> {
  const events = Math.round((seconds * 1000) / interval);
  const calm = await streamPod(28_100, events, interval);
  const fast = await streamPod(28_101, events, 1);
  const targets = await Promise.all([
    startRoundhouse(28_110, [calm.url]),
    startRouter('vllm-router', 28_120, calm.url),
    startRoundhouse(28_130, [fast.url]),
    startNginxProxy(28_140, fast.url),
  ]);
  const [own, router, ownFast, nginx] = targets;
  try {
    // Warm-up: code is optimised only after it has run for a while.
    await measure(own, 200, events);
    const peers = { direct: calm, own, ...(isPresent(router) ? { router } : {}) };
    const { direct, own: few, router: fewRouter } = await inTurn(peers, rounds, 200, events);
    const many = await measure(own, 2000, events);
    const most = await measure(ownFast, 100, events);
    const mostNginx = isPresent(nginx) ? await measure(nginx, 100, events) : undefined;
    report({
      'direct, 200': direct,
      'roundhouse, 200': few,
      'vllm-router, 200': fewRouter,
      'roundhouse, 2000': many,
    });
    report({ 'roundhouse, maximum rate': most, 'nginx, maximum rate': mostNginx });
    return [
      atMost('2,000 streams of 20 chunks per second: p99 added delay, ms', many.p99, 50),
      atLeast('2,000 streams: share of chunks received', many.received / many.expected, 1),
      atMost('2,000 streams: memory, MB', many.memory, 600),
      atMost(
        '200 streams: p50 added delay, as a share of vllm-router',
        few && fewRouter && few.p50 / fewRouter.p50,
        1,
      ),
      atLeast(
        'chunks per second, as a share of nginx',
        mostNginx && most.perSecond / mostNginx.perSecond,
        0.4,
      ),
    ];
  } finally {
    await Promise.all([...targets.filter(isPresent), calm, fast].map((target) => target.stop()));
  }
}

function streamPod(port: number, events: number, every: number): Promise<Target> {
  const script = join(import.meta.dirname, 'stream-pod.ts');
  return startServer(
    'stream pod',
    [process.execPath, script, String(port), String(events), String(every)],
    port,
  );
}

/** Alternates short rounds, so that noise affects all targets equally; the round with the median p50 of each counts. */
async function inTurn<N extends string>(
  targets: Partial<Record<N, Target>>,
  rounds: number,
  count: number,
  events: number,
): Promise<Partial<Record<N, StreamResult>>> {
  const results = new Map<N, StreamResult[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, target] of Object.entries(targets) as [N, Target][]) {
      const result = await measure(target, count, events);
      results.set(name, [...(results.get(name) ?? []), result]);
    }
  }
  const middle = (all: StreamResult[]) => all.sort((a, b) => a.p50 - b.p50)[Math.floor(all.length / 2)];
  return Object.fromEntries([...results].map(([name, all]) => [name, middle(all)])) as Partial<
    Record<N, StreamResult>
  >;
}

async function measure(target: Target, count: number, events: number): Promise<StreamResult> {
  const delays = new Float64Array(count * events);
  let [received, begun, counted, peak] = [0, 0, 0, 0];
  // Rarely, because scanning all processes takes the caller a few milliseconds.
  const watch = setInterval(() => {
    peak = Math.max(peak, memory(target.pids));
  }, 2000);
  const started = performance.now();
  await Promise.all(
    Array.from({ length: count }, () => {
      let isFirst = true;
      return readStream(target, (delay) => {
        if (isFirst) begun++;
        isFirst = false;
        received++;
        // Measures only while all streams are open.
        if (begun === count && counted < delays.length) delays[counted++] = delay;
      });
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  clearInterval(watch);
  const seen = delays.subarray(0, counted);
  return {
    p50: percentile(seen, 0.5),
    p99: percentile(seen, 0.99),
    perSecond: received / elapsed,
    expected: count * events,
    received,
    memory: peak,
  };
}

function report(results: Record<string, StreamResult | undefined>): void {
  console.log('\nstreams                              delay p50 / p99 ms    chunks/s  received   memory MB');
  for (const [name, result] of Object.entries(results)) {
    if (!result) {
      console.log(`${name.padEnd(32)} absent`);
      continue;
    }
    const { p50, p99, perSecond, received, expected } = result;
    console.log(
      `${name.padEnd(32)} ${p50.toFixed(2).padStart(10)} / ${p99.toFixed(2).padEnd(10)} ${perSecond.toFixed(0).padStart(9)}  ${((100 * received) / expected).toFixed(1).padStart(6)} %  ${result.memory.toFixed(0).padStart(8)}`,
    );
  }
}

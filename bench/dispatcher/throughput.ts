import { hasWrk, load } from './load.ts';
import { startMockPod, startNginxProxy } from './nginx.ts';
import { isPresent, type Peer, startPortkey, startRouter } from './peers.ts';
import { memory, processorTime, type Target } from './processes.ts';
import { startRoundhouse } from './roundhouse.ts';
import { atLeast, atMost, median, type Verdict } from './verdicts.ts';

interface Row {
  name: string;
  cpu: number[];
  perSecond: number[];
  p50: number[];
  p99: number[];
  errors: number;
  memory: number;
}

const connections = 10;

/** Compares cost per request and throughput; alternates short rounds, so that noise affects all targets equally. */
export async function throughput(rounds: number, seconds: number): Promise<Verdict[]> {
  const pod = await startMockPod(28_000);
  const peers: Peer[] = [
    await startRoundhouse(28_010, [pod.url]),
    await startRoundhouse(28_020, [pod.url], { name: 'roundhouse, 2 workers', workers: 2 }),
    await startNginxProxy(28_030, pod.url),
    await startRouter('vllm-router', 28_040, pod.url),
    await startRouter('sglang-router', 28_050, pod.url),
    await startPortkey(28_060, pod.url),
  ];
  const targets: Target[] = [{ ...pod, name: 'direct', pids: [] }, ...peers.filter(isPresent)];
  const rows = new Map(targets.map(({ name }) => [name, emptyRow(name)]));
  try {
    // Warm-up: optimising the code and filling caches takes about 100,000 requests.
    for (const target of targets) await load(target, connections, 3 * seconds);
    for (let round = 0; round < rounds; round++) {
      for (const target of targets) await measure(target, rows.get(target.name) as Row, seconds);
    }
  } finally {
    await Promise.all([...peers.filter(isPresent), pod].map((target) => target.stop()));
  }
  report([...rows.values()], peers);
  return verdicts(rows, (await hasWrk()) ? undefined : 'without wrk: limited by the client');
}

async function measure(target: Target, row: Row, seconds: number): Promise<void> {
  const before = processorTime(target.pids);
  const result = await load(target, connections, seconds);
  row.cpu.push((processorTime(target.pids) - before) / result.requests);
  row.perSecond.push(result.perSecond);
  row.p50.push(result.p50);
  row.p99.push(result.p99);
  row.errors += result.errors;
  row.memory = memory(target.pids);
}

/** Processor time is the server's own; the other figures carry a note where the client limits them. */
function verdicts(rows: ReadonlyMap<string, Row>, note: string | undefined): Verdict[] {
  const of = (name: string, figure: 'p50') => {
    const row = rows.get(name);
    return row && row.errors === 0 ? median(row[figure]) : Number.NaN;
  };
  // Rounds next to each other are compared, since other programs may slow down some of them.
  const ratio = (figure: 'cpu' | 'perSecond' | 'p99', peer: string, own = 'roundhouse') => {
    const [ours, theirs] = [rows.get(own), rows.get(peer)];
    if (!ours || !theirs || ours.errors + theirs.errors > 0) return Number.NaN;
    return median(ours[figure].map((value, round) => value / (theirs[figure][round] ?? Number.NaN)));
  };
  return [
    atMost('CPU time per request, as a share of vllm-router', ratio('cpu', 'vllm-router'), 0.5),
    atLeast('requests per second, as a share of vllm-router', ratio('perSecond', 'vllm-router'), 1, note),
    atLeast('requests per second, as a multiple of Portkey', ratio('perSecond', 'portkey'), 20, note),
    atLeast('requests per second, as a share of nginx', ratio('perSecond', 'nginx'), 0.25, note),
    atLeast(
      'requests per second with two workers, as a share of nginx',
      ratio('perSecond', 'nginx', 'roundhouse, 2 workers'),
      0.4,
      note,
    ),
    atMost('added p50, ms', of('roundhouse', 'p50') - of('direct', 'p50'), 0.5, note),
    atMost('p99 at 10 connections, as a multiple of vllm-router', ratio('p99', 'vllm-router'), 1.2, note),
  ];
}

function report(rows: readonly Row[], peers: readonly Peer[]): void {
  console.log(
    `\n${'10 connections'.padEnd(24)} CPU µs/request   requests/s    p50 ms    p99 ms   memory MB   errors`,
  );
  for (const row of rows) {
    const cells = [median(row.cpu), median(row.perSecond), median(row.p50), median(row.p99), row.memory];
    const digits = [1, 0, 2, 2, 0];
    const text = cells.map((value, index) => value.toFixed(digits[index]).padStart(11)).join('  ');
    console.log(`${row.name.padEnd(24)}${text}  ${String(row.errors).padStart(6)}`);
  }
  for (const peer of peers)
    if (!isPresent(peer)) console.log(`${peer.name.padEnd(24)} absent: ${peer.absent}`);
}

function emptyRow(name: string): Row {
  return { name, cpu: [], perSecond: [], p50: [], p99: [], errors: 0, memory: 0 };
}

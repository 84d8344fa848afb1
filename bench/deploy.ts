// `node bench/deploy.ts [swaps] [model.gguf]`: swaps deployments under 5 requests per second, and does the same by
// stopping the old one first. Prints failed requests (goal: 0), the longest gap between two answers, and their ratio.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DeploymentStack, knownModel, startDeployments } from '../test/testkit/deployments.ts';
import { writeTinyModel } from '../test/testkit/models/tiny-model.ts';
import { until } from '../test/testkit/until.ts';

const swaps = Number(process.argv[2] ?? 4);
const given = process.argv[3];
const everyMs = 200;
const folder = mkdtempSync(join(tmpdir(), 'roundhouse-bench-deploy-'));
const path = (name: string) => given ?? join(folder, `${name}.gguf`);

interface Load {
  sent: number;
  failed: number;
  /** Times at which requests succeeded. */
  ends: number[];
  latencies: number[];
}

if (!given) {
  writeTinyModel(path('one'), { seed: 1 });
  writeTinyModel(path('two'), { seed: 2 });
}
const stack = await startDeployments();
try {
  for (const name of ['one', 'two']) stack.models.set(name, knownModel(name, path(name)));
  await stack.deploy({ model_id: 'one' });
  const swapped = await underLoad(async () => {
    for (let swap = 0; swap < swaps; swap++) await deployNext(swap);
  });
  report('swapped', swapped);
  await stack.deploy({ model_id: 'one' });
  const restarted = await underLoad(async () => {
    await stack.call('POST', '/api/v1/deploy/interrupt/');
    await until('it to be gone', () => stack.launcher.list().length === 0);
    await deployNext(0);
  });
  report('stopped first', restarted);
  console.log(`longest gap, swap : stop first = 1 : ${(gap(restarted) / gap(swapped)).toFixed(1)}`);
  process.exitCode = swapped.failed === 0 ? 0 : 1;
} finally {
  await stack.close();
  rmSync(folder, { recursive: true, force: true });
}

async function deployNext(swap: number): Promise<void> {
  const job = await stack.deploy({ model_id: swap % 2 === 0 ? 'two' : 'one' });
  if (job.status !== 'FINISHED') throw new Error(job.error ?? job.status);
}

/** Sends requests to the deployed model, like a client that occasionally reads the list of models. */
async function underLoad(work: () => Promise<void>): Promise<Load> {
  const load: Load = { sent: 0, failed: 0, ends: [], latencies: [] };
  const running: Promise<void>[] = [];
  let model = await deployedModel(stack);
  const timer = setInterval(() => {
    running.push(ask(model, load));
    if (load.sent % 10 === 0) void deployedModel(stack).then((name) => (model = name ?? model));
  }, everyMs);
  await until('the load to run', () => load.ends.length >= 5);
  await work();
  const served = load.ends.length;
  await until('answers after it', () => load.ends.length >= served + 10);
  clearInterval(timer);
  await Promise.all(running);
  return load;
}

async function deployedModel({ call }: DeploymentStack): Promise<string | undefined> {
  return (await call('GET', '/inference/v1/models')).body.data[0]?.id;
}

async function ask(model: string | undefined, load: Load): Promise<void> {
  load.sent += 1;
  const began = performance.now();
  const body = { model, prompt: 'Once upon a time', max_tokens: 16, temperature: 0 };
  const { status } = await stack.call('POST', '/inference/v1/completions', body).catch(() => ({ status: 0 }));
  if (status !== 200) {
    load.failed += 1;
    return;
  }
  load.ends.push(performance.now());
  load.latencies.push(performance.now() - began);
}

function gap({ ends }: Load): number {
  return Math.max(...ends.slice(1).map((end, index) => end - (ends[index] as number)));
}

function report(name: string, load: Load): void {
  const sorted = load.latencies.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(0);
  console.log(
    `${name.padEnd(14)} ${load.sent} requests, ${load.failed} failed; longest gap between answers ${gap(load).toFixed(0)} ms ` +
      `(one request every ${everyMs} ms); latency ${at(0.5)} ms median, ${at(1)} ms maximum`,
  );
}

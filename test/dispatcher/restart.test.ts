import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Clock } from '../../src/contracts/clock.ts';
import type { PodStarter } from '../../src/contracts/launching.ts';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { startingPod } from '../testkit/pods/launched-pod.ts';
import { type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';
import { describeOnEachDatabase, describeOnPostgres } from '../testkit/stores/databases.ts';
import { until } from '../testkit/until.ts';

const running: RunningDispatcher[] = [];
const pods: MockPod[] = [];
afterEach(async () => {
  for (const dispatcher of running.splice(0)) await dispatcher.close();
  for (const pod of pods.splice(0)) await pod.kill().catch(() => undefined);
});

interface StartOptions {
  launcher?: PodStarter;
  clock?: Clock;
  machine?: string;
  pods?: { file?: string; ttl?: string };
}

async function start(
  url: string,
  { launcher, clock, ...config }: StartOptions = {},
): Promise<RunningDispatcher> {
  const dispatcher = await startDispatcher({
    config: { database: { url }, ...config },
    ...(launcher ? { launcher } : {}),
    ...(clock ? { clock } : {}),
  });
  running.push(dispatcher);
  return dispatcher;
}

async function startPod(): Promise<MockPod> {
  const pod = await startMockPod();
  pods.push(pod);
  return pod;
}

describeOnEachDatabase('pods and usage after a restart', (databases) => {
  it('known pods are probed, not forgotten: those that answer serve, the others are marked', async () => {
    const url = await databases.create();
    const [alive, gone] = [await startPod(), await startPod()];
    const first = await start(url);
    await first.report({ pod_id: 'alive', model_name: 'mock', pod_address: alive.url, note: 'kept' });
    await first.report({ pod_id: 'gone', model_name: 'other', pod_address: gone.url });
    await running.splice(0)[0]?.close();
    await gone.kill();
    const second = await start(url);
    await until('the live pod serves', async () => (await second.chat()).status === 200);
    const records = await second.pods();
    expect(records).toMatchObject([
      { pod_id: 'alive', live: true, note: 'kept' },
      { pod_id: 'gone', live: false },
    ]);
    expect((await second.chat({ model: 'other' })).status).toBe(503);
  });

  it('usage is kept by key, model, pod and day, and adds up', async () => {
    const url = await databases.create();
    const pod = await startPod();
    for (let round = 0; round < 2; round++) {
      const dispatcher = await start(url);
      await dispatcher.report({ pod_id: 'a', model_name: 'mock', pod_address: pod.url });
      await (await dispatcher.chat()).text();
      const stream = { stream: true, stream_options: { include_usage: true } };
      await (await dispatcher.chat(stream)).text();
      await (await dispatcher.chat({ model: 'nobody' })).text();
      await running.splice(0)[0]?.close();
    }
    const dispatcher = await start(url);
    const rows = await dispatcher.database.query.selectFrom('usage_days').selectAll().execute();
    expect(rows.map((row) => ({ ...row, requests: Number(row.requests) }))).toMatchObject([
      { key: 'anonymous', model: 'mock', pod: 'a', requests: 4 },
    ]);
    expect(Number(rows[0]?.prompt_tokens)).toBe(48);
    expect(Number(rows[0]?.completion_tokens)).toBe(12);
    expect(rows[0]?.day).toMatch(/^\d{4}-\d\d-\d\d$/);
  });
});

describeOnPostgres('two dispatchers on one database', (databases) => {
  it('what a pod tells one, the other knows', async () => {
    const url = await databases.create();
    const pod = await startPod();
    const [one, other] = [await start(url), await start(url)];
    await one.report({ pod_id: 'shared', model_name: 'mock', pod_address: pod.url });
    await until('the other sends requests to it', async () => (await other.chat()).status === 200);
    await one.report({ pod_id: 'shared', dead: true });
    await until('the other has stopped', async () => (await other.chat()).status === 503);
  });

  it('a retirement told to one reaches the other, to which the pod goes on reporting', async () => {
    const url = await databases.create();
    const pod = await startPod();
    const [one, other] = [await start(url), await start(url)];
    const report = { pod_id: 'shared', model_name: 'mock', pod_address: pod.url };
    await one.report(report);
    await until('the other sends requests to it', async () => (await other.chat()).status === 200);
    await other.report({ pod_id: 'shared', retired: true });
    await until('the first has stopped', async () => {
      await one.report(report);
      return (await one.chat()).status === 503;
    });
    await one.report(report);
    expect((await one.chat()).status).toBe(503);
    expect((await other.chat()).status).toBe(503);
  });

  it('a retirement reaches the other, though newer reports of other pods have arrived there', async () => {
    const url = await databases.create();
    const [pod, newer] = [await startPod(), await startPod()];
    const pods = { ttl: '10m' };
    const late = await start(url, { clock: { now: () => Date.now() - 8_000 }, pods });
    const other = await start(url, { pods });
    await late.report({ pod_id: 'retiring', model_name: 'mock', pod_address: pod.url });
    await until('the other sends requests to it', async () => (await other.chat()).status === 200);
    await other.report({ pod_id: 'newer', model_name: 'another', pod_address: newer.url });
    // By then it has read its own report, and looks only for newer ones.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await late.report({ pod_id: 'retiring', retired: true });
    await until('the other has stopped', async () => (await other.chat()).status === 503);
  });

  it('each starts, resumes and stops only the planned pods of its own machine', async () => {
    const url = await databases.create();
    const file = join(mkdtempSync(join(tmpdir(), 'roundhouse-plans-')), 'pods.yaml');
    writeFileSync(file, JSON.stringify({ pods: [{ engine: 'onnx', task: 'embeddings', model_name: 'm' }] }));
    const log: string[] = [];
    const launcherOf = (machine: string): PodStarter => ({
      async start({ pod_id }) {
        log.push(`${machine} starts ${pod_id}`);
        return startingPod(pod_id);
      },
      async stop(podId) {
        log.push(`${machine} stops ${podId}`);
      },
      get: () => undefined,
    });
    const open = (machine: string) => start(url, { machine, pods: { file }, launcher: launcherOf(machine) });
    const post = (dispatcher: RunningDispatcher, path: string) =>
      fetch(dispatcher.url + path, { method: 'POST' });
    const one = await open('one');
    await post(one, '/create-pods/');
    await post(one, '/deploy-pods/');
    const two = await open('two');
    await post(two, '/deploy-pods/');
    expect(log).toEqual(['one starts embeddings-m-1']);
    writeFileSync(file, JSON.stringify({ pods: [] }));
    await post(two, '/create-pods/');
    await until('the owner to stop it', () => log.includes('one stops embeddings-m-1'));
  });
});

import { afterEach, expect, test } from 'vitest';
import { startMockPod } from '../../../../test/testkit/pods/mock-pod.ts';
import { openTemporaryDatabase } from '../../../../test/testkit/stores/open-database.ts';
import { until } from '../../../../test/testkit/until.ts';
import { silentLogger } from '../../../platform/telemetry/logger.ts';
import { getDeployment } from '../deploying/get-deployment.ts';
import { putDeployment, putPod } from '../records/deployments-store.ts';
import { RemotePods } from './remote-pods.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function start(status: number, key?: string) {
  const dispatcher = await startMockPod((_request, response) => void response.writeHead(status).end('[]'));
  const pods = new RemotePods({ url: dispatcher.url, key, logger: silentLogger() });
  opened.push(dispatcher.kill, () => pods.close());
  return { dispatcher, pods };
}

test('a refusal is the error of a deployment that is not ready', async () => {
  const { pods } = await start(401);
  await until('it is refused', () => pods.problem?.includes('requires a key'));
  const database = await openTemporaryDatabase();
  opened.push(() => database.close());
  const model = { engine: 'llamacpp', replicas: 1, job_id: 'job', replaced_model_id: null };
  const deployment = {
    ...model,
    model_id: 'org/one',
    adapter_ids: [],
    dtype: null,
    options: {},
    deployed_at: 1,
  };
  await putDeployment(database, { slot: 'chat', ...deployment });
  const names = { model: 'one.gguf', model_name: 'org/one', served_model_name: 'org/one' };
  const spec = { pod_id: 'a', engine: 'llamacpp', task: 'llm', adapters: [], ...names };
  await putPod(database, {
    pod_id: 'a',
    slot: 'chat',
    job_id: 'job',
    state: 'serving',
    spec,
    machine: 'here',
  });
  const launcher = { get: () => undefined };
  expect(
    await getDeployment({ database, dispatcherPods: pods, launcher, machine: 'here' }, 'chat'),
  ).toMatchObject({
    ready: 0,
    error: expect.stringContaining('set the same ROUNDHOUSE_ADMIN_TOKEN for both processes'),
  });
});

test('a key that the dispatcher does not know is named as the problem', async () => {
  const { pods } = await start(403, 'rh-unknown');
  await until('it is refused', () => pods.problem?.includes("refuses this process's key"));
});

test('what answers is no dispatcher, or has another database', async () => {
  const { dispatcher, pods } = await start(404);
  await until('it is recognised', () => pods.problem?.includes('is not a Roundhouse dispatcher'));
  dispatcher.answer = (_request, response) =>
    void response.setHeader('x-roundhouse-database', 'theirs').end('[]');
  const shared = new RemotePods({
    url: dispatcher.url,
    key: 'rh-key',
    database: 'ours',
    logger: silentLogger(),
  });
  opened.push(() => shared.close());
  await shared.asked;
  expect(shared.problem).toContain('uses another database');
  expect(shared.problem).toContain('set the same ROUNDHOUSE_DATABASE_URL for both processes');
});

test('no problem once the dispatcher answers', async () => {
  const { dispatcher, pods } = await start(503);
  await until('it fails', () => pods.problem?.includes("can't be reached"));
  dispatcher.answer = (_request, response) => void response.end('[]');
  await until('it answers', () => pods.problem === null);
});

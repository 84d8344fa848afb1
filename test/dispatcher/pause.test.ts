import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RunningPlatform, startPlatform } from '../testkit/platform.ts';
import { answerChat, type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';
import { until } from '../testkit/until.ts';

const ttl = 2000;
let platform: RunningPlatform;
let pod: MockPod;

beforeEach(async () => {
  pod = await startMockPod();
});
afterEach(async () => {
  process.kill(platform.pid, 'SIGCONT');
  await platform.stop();
  await pod.kill();
});

async function start(workers: number) {
  platform = await startPlatform({
    args: ['--only', 'dispatcher'],
    env: {
      ROUNDHOUSE_DISPATCHER_WORKERS: String(workers),
      ROUNDHOUSE_PODS_TTL: `${ttl}ms`,
      ROUNDHOUSE_QUEUE_TIMEOUT: `${ttl}ms`,
    },
  });
}
const post = (path: string, body: unknown) =>
  fetch(platform.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const report = (more = {}) =>
  post('/pods-info/', { pod_id: 'a', model_name: 'mock', pod_address: pod.url, ...more });
const chat = () => post('/v1/chat/completions', { model: 'mock', messages: [] });
const pause = async () => {
  process.kill(platform.pid, 'SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 2 * ttl));
};

it.each([1, 2])(
  'requests that came while the process was stopped are served, %i workers',
  async (workers) => {
    await start(workers);
    await report();
    await until('the pod is known', async () => (await chat()).status === 200);
    await report();
    const paused = pause();
    const calls = [chat(), chat()];
    await paused;
    process.kill(platform.pid, 'SIGCONT');
    for (const answer of await Promise.all(calls)) expect(answer.status).toBe(200);
  },
);

it('requests in line keep waiting after the process was stopped', async () => {
  await start(1);
  let letGo = () => {};
  pod.answer = (request, response) => {
    letGo = () => answerChat(request, response);
  };
  await report({ max_connections: 1 });
  const first = chat();
  await until('the pod has it', () => pod.requests.length === 1);
  const second = chat();
  await until('it waits', async () =>
    /roundhouse_dispatcher_waiting 1\n/.test(await (await fetch(`${platform.url}/metrics`)).text()),
  );
  await pause();
  process.kill(platform.pid, 'SIGCONT');
  pod.answer = answerChat;
  await report({ max_connections: 1 });
  letGo();
  expect((await first).status).toBe(200);
  expect((await second).status).toBe(200);
});

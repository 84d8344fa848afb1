import { afterEach, describe, expect, it } from 'vitest';
import { type RunningPlatform, startPlatform } from '../testkit/platform.ts';
import { type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';
import { until } from '../testkit/until.ts';

const running: RunningPlatform[] = [];
let pod: MockPod;
afterEach(async () => {
  for (const platform of running.splice(0)) await platform.stop();
  await pod.kill();
});

async function serve(env: Record<string, string>) {
  pod = await startMockPod();
  const platform = await startPlatform({ args: ['--only', 'dispatcher'], env });
  running.push(platform);
  const post = (path: string, body: object) =>
    fetch(platform.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await post('/pods-info/', { pod_id: 'p', task: 'llm', model_name: 'mock', pod_address: pod.url });
  const chat = (model: string) => post('/v1/chat/completions', { model, messages: [] });
  const lines = () =>
    platform
      .output()
      .split('\n')
      .filter((line) => line.includes('"proxied"'))
      .map((line) => JSON.parse(line) as { status: number; model: string; pod: string | null });
  return { platform, chat, lines };
}

describe.each(['1', '2'])('the access log with %s workers', (workers) => {
  it('has one whole line per request, also those of the last moment', async () => {
    const { platform, chat, lines } = await serve({ ROUNDHOUSE_DISPATCHER_WORKERS: workers });
    const models = ['mock', 'constructor', 'модель\n"🙂"', 'mock'];
    for (const model of models) await (await chat(model)).text();
    expect(await platform.stop()).toBe(0);
    running.pop();
    const logged = lines();
    expect(logged.map(({ status }) => status).sort()).toEqual([200, 200, 404, 404]);
    expect(logged.map(({ model }) => model).sort()).toEqual([...models].sort());
  });
});

it('logs a share of the good requests, and every failure', async () => {
  const { chat, lines } = await serve({ ROUNDHOUSE_TELEMETRY_ACCESS_LOG: '0.1' });
  for (let count = 0; count < 40; count++) await (await chat('mock')).text();
  for (let count = 0; count < 5; count++) await (await chat('nothing')).text();
  await until('the failures are logged', () => lines().filter(({ status }) => status === 404).length === 5);
  expect(lines().filter(({ status }) => status === 200)).toHaveLength(4);
});

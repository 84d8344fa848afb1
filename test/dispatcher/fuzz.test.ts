import { afterAll, beforeAll, expect, it } from 'vitest';
import { hostileRequest } from '../testkit/attacks/hostile-bytes.ts';
import { RawCaller } from '../testkit/attacks/raw-caller.ts';
import { type RunningPlatform, startPlatform } from '../testkit/platform.ts';
import { answerJson, chatAnswer, type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';
import { seededRandom } from '../testkit/random.ts';
import { until } from '../testkit/until.ts';

const seed = Number(process.env.ROUNDHOUSE_TEST_SEED ?? 20_261_116);
const count = Number(process.env.ROUNDHOUSE_TEST_CASES ?? 300);
/** A request that is not whole gets no answer; no more is expected of it. */
const answerLimit = 1000;

let platform: RunningPlatform;
let pod: MockPod;

beforeAll(async () => {
  pod = await startMockPod(answerJson(chatAnswer));
  // In a process of its own, with its log on, as in production.
  platform = await startPlatform({
    args: ['--only', 'dispatcher'],
    env: { ROUNDHOUSE_PODS_TTL: '1h' },
  });
  for (const task of ['llm', 'embeddings', 'rerank', 'tts', 'asr']) {
    await post('/pods-info/', { pod_id: task, task, model_name: 'mock', pod_address: pod.url });
  }
});
afterAll(async () => {
  expect(await platform.stop()).toBe(0);
  await pod.kill();
});

const post = (path: string, body: unknown) =>
  fetch(platform.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function send(bytes: Buffer): Promise<number> {
  const caller = new RawCaller(platform.url).send(bytes);
  const timer = setTimeout(() => caller.destroy(), answerLimit);
  let answer = await caller.answer();
  if (answer?.status === 100) answer = await caller.answer();
  clearTimeout(timer);
  caller.destroy();
  return answer?.status ?? 0;
}

it(`answers ordinary requests after each of ${count} hostile ones (ROUNDHOUSE_TEST_SEED=${seed})`, async () => {
  const random = seededRandom(seed);
  const statuses = new Map<number, number>();
  const slowest = { milliseconds: 0, request: '' };
  for (let n = 0; n < count; n++) {
    const { path, bytes } = hostileRequest(random);
    const shown = `${n}: ${path}, ${bytes.length} bytes: ${bytes.toString('latin1').slice(0, 300)}`;
    const before = performance.now();
    const status = await send(bytes);
    await until(`an ordinary request is answered after ${shown}`, async () => {
      const response = await post('/v1/chat/completions', { model: 'mock', messages: [] }).catch(
        () => undefined,
      );
      await response?.text();
      return response?.status === 200;
    });
    const milliseconds = status === 0 ? 0 : performance.now() - before;
    if (milliseconds > slowest.milliseconds) Object.assign(slowest, { milliseconds, request: shown });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    expect(status, shown).not.toBe(500);
  }
  process.stdout.write(`${JSON.stringify([...statuses].sort())}; slowest: ${JSON.stringify(slowest)}\n`);
  expect(platform.output()).not.toContain('"level":"error"');
});

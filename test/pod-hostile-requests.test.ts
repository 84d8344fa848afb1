import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProcessLauncher } from '../src/launchers/process/process-launcher.ts';
import { type HostileRequest, hostileRequest } from './testkit/attacks/hostile-requests.ts';
import { knownAttacks } from './testkit/attacks/known-attacks.ts';
import { writeTinyModel } from './testkit/models/tiny-model.ts';
import { seededRandom } from './testkit/random.ts';
import { until } from './testkit/until.ts';

// ROUNDHOUSE_TEST_SEED=7 ROUNDHOUSE_TEST_CASES=500 runs others, and more of them; ROUNDHOUSE_TEST_MODEL another model.
const seed = Number(process.env.ROUNDHOUSE_TEST_SEED ?? 1);
const cases = Number(process.env.ROUNDHOUSE_TEST_CASES ?? 80);
const limit = 60_000;

describe('a pod that is sent hostile requests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  let launcher: ProcessLauncher;
  let address: string;

  beforeAll(async () => {
    const model = process.env.ROUNDHOUSE_TEST_MODEL ?? join(folder, 'tiny.gguf');
    writeTinyModel(join(folder, 'tiny.gguf'), { contextLength: 2048 });
    launcher = new ProcessLauncher({
      data_dir: folder,
      main: join(import.meta.dirname, '../src/cli/main.ts'),
      environment: { ...process.env, ROUNDHOUSE_DATA_DIR: folder },
      restart: { first: 10, longest: 10, stableAfter: 60_000, loopAfter: 5 },
    });
    await launcher.start({
      pod_id: 'pod',
      engine: 'llamacpp',
      task: 'llm',
      model,
      served_model_name: 'tiny',
      max_model_len: 2048,
      parallel: 4,
      threads: 1,
    });
    const running = await until('the pod serves', () => launcher.get('pod')?.address);
    address = running;
  });
  afterAll(async () => {
    await launcher.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = (path: string, body: string, signal: AbortSignal) =>
    fetch(address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal,
    });
  const send = async ({ path, body, leaveAfter }: HostileRequest) => {
    const leaving = AbortSignal.timeout(leaveAfter ?? limit);
    try {
      const response = await post(path, body, leaving);
      return { status: response.status, text: await response.text() };
    } catch (error) {
      if (leaveAfter !== undefined && leaving.aborted) return { status: 499, text: '' };
      throw error;
    }
  };
  const ordinary = JSON.stringify({
    model: 'tiny',
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: 2,
    temperature: 0,
  });
  /** The longest delay of the pod's event loop since it was last asked for, in milliseconds. */
  const loopDelay = async () => {
    const metrics = await (await fetch(`${address}/metrics`)).text();
    return Math.round(1000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics)?.[1]));
  };
  /** An ordinary request, and how long it took. */
  const ask = async () => {
    const began = performance.now();
    const response = await post('/v1/chat/completions', ordinary, AbortSignal.timeout(limit));
    expect(response.status).toBe(200);
    await response.text();
    return performance.now() - began;
  };

  test.each(knownAttacks)(
    '$title: $status, and the next ordinary request is answered',
    async ({ status, says, ...attack }) => {
      const hostile = send({ ...attack, body: JSON.stringify({ model: 'tiny', ...attack.body }) });
      await ask();
      const answered = await hostile;
      expect(answered.status, answered.text.slice(0, 500)).toBe(status);
      if (says) expect(JSON.parse(answered.text).error.message).toMatch(says);
      expect(answered.text.length).toBeLessThan(20_000);
      await ask();
      expect(launcher.get('pod')?.restarts).toBe(0);
    },
  );

  test('answers or refuses each, and answers the next ordinary one', {
    timeout: 60_000 + cases * 10_000,
  }, async () => {
    const random = seededRandom(seed);
    const waits: { title: string; ms: number; delay: number }[] = [];
    const statuses = new Map<number, number>();
    for (let index = 0; index < cases; index++) {
      const request = hostileRequest(random, 'tiny');
      const described = `case ${index} of seed ${seed}: ${request.title}`;
      try {
        const hostile = send(request);
        const meanwhile = await ask();
        const { status, text } = await hostile;
        const after = await ask();
        waits.push({
          title: described,
          ms: Math.round(Math.max(meanwhile, after)),
          delay: await loopDelay(),
        });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect(status, text.slice(0, 500)).toBeLessThan(500);
        // A refusal is a few lines, whatever it refuses.
        if (status >= 400 && status !== 499) {
          expect(text.length).toBeLessThan(20_000);
          expect(JSON.parse(text).error.message).toBeTruthy();
        }
        expect(launcher.get('pod')?.restarts).toBe(0);
      } catch (error) {
        const log = (await launcher.log('pod', 20)).join('\n');
        throw new Error(`${described}\n${request.body.slice(0, 1_000)}\n${log}`, { cause: error });
      }
    }
    await until('nothing runs or waits', async () => {
      const health = (await (await fetch(`${address}/health`)).json()) as {
        running: number;
        waiting: number;
      };
      return health.running === 0 && health.waiting === 0;
    });
    const worst = (by: 'ms' | 'delay') =>
      waits
        .sort((a, b) => b[by] - a[by])
        .slice(0, 3)
        .map((wait) => `${wait[by]} ms beside ${wait.title}`)
        .join('; ');
    process.stdout.write(
      `statuses ${JSON.stringify([...statuses])}\nslowest ordinary answers: ${worst('ms')}\nlongest delays of the event loop: ${worst('delay')}\n`,
    );
  });
});

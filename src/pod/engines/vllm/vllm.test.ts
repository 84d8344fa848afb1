import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type VllmForTests, vllmForTests } from '../../../../test/testkit/pods/vllm.ts';
import { requirement } from '../../../../test/testkit/requirement.ts';
import type { UpstreamEngine } from '../../engine.ts';
import type { Progress, ServerOptions } from '../server/server-kind.ts';
import { startVllm } from './vllm.ts';

let setUp: VllmForTests;
const available = await requirement('vLLM', async () => {
  setUp = await vllmForTests();
});

/** vLLM takes half a minute or more to come up on a busy machine: one instance serves all of these, in this order. */
describe.skipIf(!available.available)('vLLM itself', { timeout: 620_000 }, () => {
  let engine: UpstreamEngine;
  const progress: Progress[] = [];
  const log: string[] = [];
  const options = (): ServerOptions => ({
    task: 'llm',
    model: setUp.model,
    servedModelName: 'tiny',
    command: setUp.command,
    dtype: 'float32',
    maxModelLen: 256,
    threads: 1,
    parallel: 4,
    adapters: [{ name: 'first', path: setUp.adapter }],
    extraArguments: ['--enforce-eager'],
    environment: setUp.environment,
    log: (line) => log.push(line),
    onProgress: (step) => progress.push(step),
    timing: { start: 600_000, watch: 500, pause: 10 },
  });

  beforeAll(async () => {
    engine = await startVllm(options());
  }, 620_000);
  afterAll(() => engine?.close());

  async function complete(name: string): Promise<{ status: number; text: string }> {
    const response = await fetch(`${engine.baseUrl}/v1/completions`, {
      method: 'POST',
      headers: { ...engine.headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: engine.upstreamModel(name),
        prompt: 'hello',
        max_tokens: 8,
        temperature: 0,
        ignore_eos: true,
      }),
    });
    const body = (await response.json()) as { choices?: { text: string }[] };
    return { status: response.status, text: body.choices?.[0]?.text ?? '' };
  }

  test('its start was shown as progress, and its log kept', () => {
    const shares = progress.map(({ share }) => share);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(progress.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['model recognised', 'weights loaded', 'KV cache allocated']),
    );
    expect(log.join('\n')).toMatch(/Resolved architecture: LlamaForCausalLM/);
    expect(log.join('\n')).not.toContain(engine.headers.authorization?.replace('Bearer ', ''));
    expect(engine.facts).toMatchObject({ engine: 'vllm', contextLength: 256 });
  });

  test('adapters are loaded and unloaded while it serves', async () => {
    const { processId } = engine.state();
    const base = await complete('tiny');
    const first = await complete('first');
    expect([base.status, first.status]).toEqual([200, 200]);
    expect(first.text).not.toBe(base.text);

    await engine.loadAdapter('second', setUp.adapter);
    expect(engine.adapters()).toEqual(['first', 'second']);
    expect((await complete('second')).text).toBe(first.text);
    await engine.unloadAdapter('first');
    expect(engine.adapters()).toEqual(['second']);
    const gone = await fetch(`${engine.baseUrl}/v1/models`, { headers: engine.headers });
    expect(await gone.text()).not.toContain('"first"');

    await expect(engine.loadAdapter('second', setUp.model)).rejects.toMatchObject({ status: 409 });
    await expect(engine.loadAdapter('third', setUp.model)).rejects.toMatchObject({ status: 400 });
    await expect(engine.unloadAdapter('third')).rejects.toMatchObject({ status: 404 });
    expect(engine.state().processId).toBe(processId);
  });

  test('its metrics become the status', async () => {
    await expect
      .poll(() => engine.status().counted)
      .toMatchObject({ requests: 3, promptTokens: 15, completionTokens: 24 });
    const { counted, ...status } = engine.status();
    expect(status).toMatchObject({ running: 0, waiting: 0, parallel: 4, kvCacheUsage: 0 });
    expect(counted?.timeToFirstToken).toBeGreaterThan(0);
    expect(counted?.timePerOutputToken).toBeGreaterThan(0);
  });

  test('without the key that it was started with, it answers only its health', async () => {
    const status = async (method: string, path: string, headers: Record<string, string> = {}) =>
      (
        await fetch(engine.baseUrl + path, {
          method,
          headers: { ...headers, 'content-type': 'application/json' },
          ...(method === 'POST' ? { body: JSON.stringify({ model: 'tiny', prompt: 'hello' }) } : {}),
        })
      ).status;
    const paths: [string, string][] = [
      ['POST', '/v1/completions'],
      ['POST', '/invocations'],
      ['POST', '/tokenize'],
      ['GET', '/metrics'],
    ];
    for (const [method, path] of paths) {
      expect(await status(method, path), path).toBe(401);
      expect(await status(method, path, { authorization: 'Bearer guess' }), path).toBe(401);
      expect(await status(method, path, engine.headers), path).toBe(200);
    }
    expect(await status('GET', '/health')).toBe(200);
    const { processId } = engine.state();
    expect(readFileSync(`/proc/${processId}/cmdline`, 'utf8')).not.toContain(
      engine.headers.authorization?.replace('Bearer ', ''),
    );
  });
});

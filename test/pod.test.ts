import { copyFileSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LaunchedPod, PodToLaunch } from '../src/contracts/launching.ts';
import { ProcessLauncher } from '../src/launchers/process/process-launcher.ts';
import { dataFolderWith } from './testkit/models/catalog-model.ts';
import { collectReports } from './testkit/pods/report-collector.ts';
import { requirement } from './testkit/requirement.ts';
import { until } from './testkit/until.ts';

let models = '';
const weights = await requirement('starter models', async () => {
  models = await dataFolderWith('smollm2-135m-instruct', 'all-minilm-l6-v2');
});

describe.skipIf(!weights.available)('roundhouse pod', () => {
  let folder: string;
  let launcher: ProcessLauncher;
  let dispatcher: Awaited<ReturnType<typeof collectReports>>;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pod-'));
    dispatcher = await collectReports();
    launcher = new ProcessLauncher({
      data_dir: folder,
      main: join(import.meta.dirname, '../src/cli/main.ts'),
      dispatcher: () => dispatcher.url,
      environment: { ...process.env, ROUNDHOUSE_DATA_DIR: models, ROUNDHOUSE_ADMIN_TOKEN: 'rh-for-reports' },
      restart: { first: 10, longest: 10, stableAfter: 60_000, loopAfter: 5 },
    });
  });
  afterEach(async () => {
    await launcher.close();
    dispatcher.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const chat: PodToLaunch = {
    pod_id: 'chat-1',
    engine: 'llamacpp',
    task: 'llm',
    model: 'smollm2-135m-instruct',
    max_model_len: 512,
    parallel: 2,
    threads: 1,
  };
  const reaches = (podId: string, state: LaunchedPod['state']) =>
    until(
      `${podId} is ${state}`,
      async () => {
        const pod = launcher.get(podId);
        if (pod?.state === 'failed' && state !== 'failed')
          throw new Error((await launcher.log(podId, 50)).join('\n'));
        return pod?.state === state && pod;
      },
      90_000,
    );
  const clientOf = (pod: LaunchedPod) =>
    new OpenAI({ baseURL: `${pod.address}/v1`, apiKey: 'none', maxRetries: 0 });

  test('answers, reports itself in full, comes back after a kill, and says goodbye', async () => {
    await launcher.start(chat);
    const pod = await reaches('chat-1', 'running');
    await until('a report', () => dispatcher.reports.length > 0);
    expect(dispatcher.reports[0]).toMatchObject({
      pod_id: 'chat-1',
      engine: 'llamacpp',
      task: 'llm',
      status: 'running',
      model_name: 'smollm2-135m-instruct',
      served_model_name: 'smollm2-135m-instruct',
      pod_address: pod.address,
      adapters: [],
      max_connections: 2,
      max_model_len: 512,
      restarted: true,
      dead: false,
      requests_success_total: 0,
    });
    expect(dispatcher.reports[0]?.ram_usage_gb).toBeGreaterThan(0.1);

    const client = clientOf(pod);
    const question = { model: 'smollm2-135m-instruct', max_tokens: 8, temperature: 0 };
    const messages = [{ role: 'user' as const, content: 'Name a colour.' }];
    const whole = await client.chat.completions.create({ ...question, messages });
    let streamed = '';
    for await (const chunk of await client.chat.completions.create({ ...question, messages, stream: true })) {
      streamed += chunk.choices[0]?.delta.content ?? '';
    }
    expect(streamed).toBe(whole.choices[0]?.message.content);
    expect(whole.usage?.completion_tokens).toBeLessThanOrEqual(8);
    const counted = await until('the counters', () =>
      dispatcher.reports.find((report) => report.requests_success_total === 2),
    );
    expect(counted).toMatchObject({
      requests_prompt_tokens: 2 * (whole.usage?.prompt_tokens ?? 0),
      requests_num_running: 0,
      restarted: false,
    });
    expect(counted.time_to_first_token).toBeGreaterThan(0);
    expect(counted.time_per_output_token).toBeGreaterThan(0);

    process.kill(pod.pid as number, 'SIGKILL');
    await until('it is started again', () => launcher.get('chat-1')?.restarts === 1);
    const again = await reaches('chat-1', 'running');
    await until(
      'it is introduced again',
      () => dispatcher.reports.filter((report) => report.restarted).length === 2,
    );
    expect((await clientOf(again).models.list()).data[0]?.id).toBe('smollm2-135m-instruct');

    await launcher.stop('chat-1');
    expect(dispatcher.reports.at(-1)).toMatchObject({
      pod_id: 'chat-1',
      dead: true,
      reason: 'stopped by SIGTERM',
    });
  });

  test('embeddings: base64 as clients ask for it and plain numbers are the same vectors', async () => {
    await launcher.start({
      pod_id: 'e',
      engine: 'onnx',
      task: 'embeddings',
      model: 'all-minilm-l6-v2',
      threads: 1,
    });
    const pod = await reaches('e', 'running');
    const client = clientOf(pod);
    const input = ['A cat sits on the mat.', 'A kitten rests on a rug.', 'Interest rates rose.'];
    const asBase64 = await client.embeddings.create({ model: 'all-minilm-l6-v2', input });
    const asFloats = await client.embeddings.create({
      model: 'all-minilm-l6-v2',
      input,
      encoding_format: 'float',
    });
    const vectors = asFloats.data.map((item) => item.embedding);
    expect(asBase64.data.map((item) => item.embedding.map((x) => x.toFixed(5)))).toEqual(
      vectors.map((vector) => vector.map((x) => x.toFixed(5))),
    );
    expect(vectors[0]).toHaveLength(384);
    expect(asFloats.usage.prompt_tokens).toBeGreaterThan(15);

    const ranked = await fetch(`${pod.address}/v1/rerank`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'all-minilm-l6-v2',
        query: 'Where is the cat?',
        documents: [input[2], { text: input[0] }, input[1]],
        top_n: 2,
        return_documents: true,
      }),
    });
    const { results, usage } = (await ranked.json()) as {
      results: { index: number; relevance_score: number; document: { text: string } }[];
      usage: { total_tokens: number };
    };
    expect(results.map((result) => result.index)).toEqual([1, 2]);
    expect(results[0]?.document).toEqual({ text: input[0] });
    expect(results[0]?.relevance_score).toBeLessThanOrEqual(1);
    expect(usage.total_tokens).toBeGreaterThan(10);
  });

  test('a half-downloaded file: the pod says why it is dead, and is not started again', async () => {
    const stored = join(models, 'models', 'smollm2-135m-instruct');
    const file = readdirSync(stored).find((name) => name.endsWith('.gguf')) as string;
    copyFileSync(join(stored, file), join(folder, file));
    truncateSync(join(folder, file), 30_000_000);
    await launcher.start({ ...chat, model: join(folder, file) });
    const failed = await reaches('chat-1', 'failed');
    expect(failed.error).toContain(file);
    expect(failed.restarts).toBe(0);
    const report = await until('the last report', () => dispatcher.reports.find((told) => told.dead));
    expect(report.reason).toBe(failed.error);
  });

  test('a model that is not there: says how to get one', async () => {
    await launcher.start({ ...chat, model: 'no-such-model' });
    const failed = await reaches('chat-1', 'failed');
    expect(failed.error).toContain("download one with 'roundhouse models pull <id>'");
    const report = await until('the last report', () => dispatcher.reports.find((told) => told.dead));
    expect(report).toMatchObject({ pod_id: 'chat-1', model_name: 'no-such-model', reason: failed.error });
  });
});

import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProcessLauncher } from '../src/launchers/process/process-launcher.ts';
import { isAlive } from './testkit/machine/is-alive.ts';
import { writeTinyAdapter, writeTinyModel } from './testkit/models/tiny-model.ts';
import { llamaServerProgram } from './testkit/pods/llama-server.ts';
import { collectReports } from './testkit/pods/report-collector.ts';
import { requirement } from './testkit/requirement.ts';
import { until } from './testkit/until.ts';

let program = '';
const server = await requirement('llama-server', async () => {
  program = await llamaServerProgram();
});

describe.skipIf(!server.available)('roundhouse pod --engine llama-server', () => {
  let folder: string;
  let launcher: ProcessLauncher;
  let dispatcher: Awaited<ReturnType<typeof collectReports>>;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pod-llama-server-'));
    writeTinyModel(join(folder, 'tiny.gguf'));
    writeTinyAdapter(join(folder, 'gruff.gguf'));
    dispatcher = await collectReports();
    launcher = new ProcessLauncher({
      data_dir: folder,
      main: join(import.meta.dirname, '../src/cli/main.ts'),
      dispatcher: () => dispatcher.url,
      environment: { ...process.env, PATH: [dirname(program), process.env.PATH].join(delimiter) },
      restart: { first: 10, longest: 10, stableAfter: 60_000, loopAfter: 5 },
    });
    await launcher.start({
      pod_id: 'pod',
      engine: 'llama-server',
      task: 'llm',
      model: join(folder, 'tiny.gguf'),
      served_model_name: 'tiny',
      adapters: [{ name: 'gruff', path: join(folder, 'gruff.gguf') }],
      max_model_len: 256,
      parallel: 2,
      threads: 1,
    });
  });
  afterEach(async () => {
    await launcher.close();
    dispatcher.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const running = () =>
    until('the pod runs', () => launcher.get('pod')?.state === 'running' && launcher.get('pod'));

  /** The servers that hold this test's model. */
  const servers = () =>
    globSync('/proc/[0-9]*').flatMap((process) => {
      try {
        const [first = '', ...args] = readFileSync(join(process, 'cmdline'), 'utf8').split('\0');
        const holds =
          args.includes(join(folder, 'tiny.gguf')) && /llama-server|ld-linux/.test(first + args.join(' '));
        const isPod = args.includes('pod');
        return holds && !isPod ? [Number(process.split('/').at(-1))] : [];
      } catch {
        return [];
      }
    });

  async function say(address: string | null, model: string): Promise<string> {
    const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: 'none', maxRetries: 0 });
    const answer = await client.completions.create({
      model,
      prompt: 'hello',
      max_tokens: 10,
      temperature: 0,
      ignore_eos: true,
    } as OpenAI.CompletionCreateParamsNonStreaming);
    return answer.choices[0]?.text ?? '';
  }

  test('serves base and adapters by name, and outlives the server behind it', async () => {
    const { address } = await running();
    const base = await say(address, 'tiny');
    const gruff = await say(address, 'gruff');
    expect(gruff).not.toBe(base);
    await expect(say(address, 'nobody')).rejects.toMatchObject({ status: 404 });
    await until('the counters of the server in a report', () =>
      dispatcher.reports.some((report) => (report.requests_completion_tokens ?? 0) >= 20),
    );
    expect(dispatcher.reports.at(-1)).toMatchObject({ engine: 'llama-server', adapters: ['gruff'] });

    const [behind] = servers();
    process.kill(behind as number, 'SIGKILL');
    await until('it answers again', () =>
      say(address, 'gruff').then(
        (text) => text === gruff,
        () => false,
      ),
    );
    expect(servers()).not.toContain(behind);
    expect(launcher.get('pod')).toMatchObject({ state: 'running', restarts: 0 });
  });

  test('leaves no server behind, stopped or killed', async () => {
    const { pid } = await running();
    const [behind] = servers();
    process.kill(pid as number, 'SIGKILL');
    await until('its server is gone', () => !isAlive(behind as number));
    await until('the pod is back', () => launcher.get('pod')?.restarts === 1);
    await running();
    const [second] = await until('its server is back', () => servers().length > 0 && servers());
    await launcher.stop('pod');
    await until('that one is gone too', () => !isAlive(second as number));
  });
});

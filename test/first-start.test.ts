import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCatalogHub } from './testkit/models/catalog-hub.ts';
import { dataFolderWith } from './testkit/models/catalog-model.ts';
import { type RunningPlatform, startPlatform } from './testkit/platform.ts';
import { requirement } from './testkit/requirement.ts';
import { until } from './testkit/until.ts';

let models = '';
const weights = await requirement('starter models', async () => {
  models = await dataFolderWith('smollm2-135m-instruct', 'all-minilm-l6-v2');
});

describe.skipIf(!weights.available)('the first start', () => {
  let cwd: string;
  let hub: Awaited<ReturnType<typeof startCatalogHub>>;
  let platform: RunningPlatform;

  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'first-start-'));
    hub = await startCatalogHub(models);
    platform = await start();
  });
  afterAll(async () => {
    await platform.stop();
    hub.close();
    rmSync(cwd, { recursive: true, force: true });
  });

  const start = () => startPlatform({ cwd, env: { ROUNDHOUSE_STARTER: 'true', HF_ENDPOINT: hub.url } });
  const said = (text: string | RegExp) =>
    until(
      `the terminal says ${text}`,
      () => {
        if (/could not be started: .*/.test(platform.output())) throw new Error(platform.output());
        return typeof text === 'string' ? platform.output().includes(text) : text.test(platform.output());
      },
      120_000,
    );

  test('fetches the starters, serves them, and says how to talk to them', { timeout: 240_000 }, async () => {
    await said(/100 % .*smollm2-135m-instruct: SmolLM2-135M-Instruct\.Q4_1\.gguf from hub QuantFactory/);
    await said('all-MiniLM-L6-v2 (8 bit) is served');
    await said('smollm2-135m-instruct is ready. Try it:');
    expect(platform.output()).toContain(`curl ${platform.url}/v1/chat/completions`);
    expect(platform.output()).toContain('./roundhouse chat');

    const client = new OpenAI({ baseURL: `${platform.url}/v1`, apiKey: 'none', maxRetries: 0 });
    const answer = await client.chat.completions.create({
      model: 'smollm2-135m-instruct',
      messages: [{ role: 'user', content: 'Say hello.' }],
      max_tokens: 8,
    });
    expect(answer.choices[0]?.message.content).toBeTruthy();
    const vectors = await client.embeddings.create({ model: 'all-minilm-l6-v2', input: 'hello' });
    expect(vectors.data[0]?.embedding).toHaveLength(384);
    expect(await terminalChat('Say hello.\n')).toMatch(/\S/);
  });

  test('a kill leaves no pod behind, and the next start fetches nothing', { timeout: 240_000 }, async () => {
    const pods = podProcesses(join(cwd, 'data'));
    expect(pods).toHaveLength(2);
    await platform.kill();
    await until('the pods are gone', () => podProcesses(join(cwd, 'data')).length === 0);
    const before = hub.asked.length;
    platform = await start();
    await said('smollm2-135m-instruct is ready. Try it:');
    expect(hub.asked).toHaveLength(before);
  });

  test('a start whose output nobody reads serves all the same', { timeout: 240_000 }, async () => {
    await platform.stop();
    platform = await start();
    // What it says about its models from here on can't be written.
    platform.closeOutput();
    const names = async () => {
      const { data } = (await (await fetch(`${platform.url}/v1/models`)).json()) as {
        data: { id: string }[];
      };
      return data.map(({ id }) => id).sort();
    };
    await until('both are served', async () => (await names()).length === 2, 120_000);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await names()).toEqual(['all-minilm-l6-v2', 'smollm2-135m-instruct']);
  });

  function terminalChat(input: string): Promise<string> {
    const main = join(import.meta.dirname, '../src/cli/main.ts');
    const args = [main, 'chat', '--data-dir', join(cwd, 'data'), '--max-tokens', '8'];
    const child = spawn(process.execPath, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(input);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    return new Promise((resolve) => child.on('close', () => resolve(output)));
  }
});

/** The processes that were started as pods of this data folder. */
function podProcesses(dataDir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        return command.includes('\0pod\0') && environment.includes(`ROUNDHOUSE_DATA_DIR=${dataDir}`);
      } catch {
        return false;
      }
    });
}

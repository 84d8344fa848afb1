import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FinetuneStatus } from '../src/contracts/management/finetuning.ts';
import { dataFolderWith } from './testkit/catalog-model.ts';
import { type RunningPlatform, startPlatform } from './testkit/platform.ts';
import { requirement } from './testkit/requirement.ts';
import { installedTrainer } from './testkit/trainer-environment.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const facts = join(root, 'trainer/tests/facts');
const base = 'smollm2-135m-instruct';

let models = '';
const weights = await requirement('starter models', async () => {
  models = await dataFolderWith(base);
});
const trainer = await installedTrainer();

/** Sixty conversations about ten things that nobody can know; each question here is worded as none of them is. */
const questions = readFileSync(join(facts, 'questions.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { question: string; answer: string });

describe.skipIf(!weights.available || !trainer.available)('roundhouse finetune run --deploy', () => {
  let folder: string;
  let platform: RunningPlatform;
  const environment = {
    ...(process.env as Record<string, string>),
    ROUNDHOUSE_TRAINER_HOME: trainer.home,
    ROUNDHOUSE_TRAINER_NICE: '0',
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'finetuning-'));
    mkdirSync(join(folder, 'data'));
    symlinkSync(join(models, 'models'), join(folder, 'data/models'));
    platform = await startPlatform({ cwd: folder, env: environment });
  });
  afterAll(async () => {
    await platform?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const roundhouse = (...args: string[]) =>
    run(process.execPath, [join(root, 'src/cli/main.ts'), ...args, '--data-dir', join(folder, 'data')], {
      env: environment,
      timeout: 900_000,
      maxBuffer: 2 ** 24,
    });

  test('teaches ten facts, keeps what the base knew, and serves the adapter beside it', {
    timeout: 1_000_000,
  }, async () => {
    const { stdout, stderr } = await roundhouse(
      ...['finetune', 'run', join(facts, 'conversations.jsonl'), '--model', base, '--name', 'facts'],
      ...['--deploy', '--min-improvement', '0.5', '--json'],
    );
    expect(stderr).toContain('60 conversations');
    const { comparison, job, deployment } = JSON.parse(stdout) as FinetuneStatus & { deployment: unknown };
    expect(job.status).toBe('FINISHED');
    expect(deployment).toMatchObject({ model_id: base, adapter_ids: ['facts'] });
    if (!comparison?.base_general_loss || !comparison.adapter_general_loss) throw new Error('not compared');
    expect(comparison.improvement).toBeGreaterThan(0.5);
    expect(comparison.adapter_general_loss / comparison.base_general_loss).toBeLessThan(1.1);

    const shown = await roundhouse('finetune', 'status');
    expect(shown.stdout).toMatch(new RegExp(`^facts, on ${base}: FINISHED\\n.*\\nheld-out loss `));

    const client = new OpenAI({ baseURL: `${platform.url}/v1`, apiKey: 'none', maxRetries: 0 });
    const rightOf = async (model: string) => {
      let right = 0;
      for (const { question, answer } of questions) {
        const { choices } = await client.chat.completions.create({
          model,
          messages: [{ role: 'user', content: question }],
          temperature: 0,
          max_tokens: 40,
        });
        if (choices[0]?.message.content?.trim() === answer) right++;
      }
      return right;
    };
    expect(await rightOf('facts')).toBeGreaterThanOrEqual(9);
    expect(await rightOf(base)).toBe(0);
  });
});

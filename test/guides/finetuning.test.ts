import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, describe, expect, test } from 'vitest';
import type { FinetuneStatus } from '../../src/contracts/management/finetuning.ts';
import { installedTrainer } from '../testkit/training/trainer-environment.ts';
import { starterModels } from './places.ts';
import { freePort, Reader } from './reader.ts';

const facts = join(import.meta.dirname, '../../trainer/tests/facts');
const base = 'smollm2-135m-instruct';
const models = await starterModels();
const trainer = await installedTrainer();

/** Sixty conversations about ten things that nobody can know; each question here is worded as none of them is. */
const questions = readFileSync(join(facts, 'questions.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { question: string; answer: string });

describe.skipIf(!models.available || !trainer.available)('docs/guides/finetuning.md', () => {
  let reader: Reader;
  afterAll(() => reader?.close());

  test('teaches ten facts, keeps what the base knew, and serves the adapter beside it', {
    timeout: 1_000_000,
  }, async () => {
    const port = await freePort();
    reader = new Reader({
      environment: {
        ROUNDHOUSE_PORT: port,
        ROUNDHOUSE_TRAINER_HOME: trainer.home,
        ROUNDHOUSE_TRAINER_NICE: '0',
      },
    });
    const machine = reader.machine();
    models.place(machine);
    copyFileSync(join(facts, 'conversations.jsonl'), join(machine, 'support.jsonl'));
    await reader.follow('finetuning.md', [['--min-improvement 0.2', '--min-improvement 0.5']]);
    expect(reader.printed).toContain('60 conversations');
    expect(reader.printed).toMatch(new RegExp(`^support, on ${base}: FINISHED\\n.*\\nheld-out loss `, 'm'));

    const url = `http://127.0.0.1:${port}`;
    const status = (await (await fetch(`${url}/api/v1/finetune/status`)).json()) as FinetuneStatus;
    const { comparison } = status;
    if (!comparison?.base_general_loss || !comparison.adapter_general_loss) throw new Error('not compared');
    expect(comparison.improvement).toBeGreaterThan(0.5);
    expect(comparison.adapter_general_loss / comparison.base_general_loss).toBeLessThan(1.1);
    const deployment = await (await fetch(`${url}/api/v1/deploy/`)).json();
    expect(deployment).toMatchObject({ model_id: base, adapter_ids: ['support'] });

    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
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
    expect(await rightOf('support')).toBeGreaterThanOrEqual(9);
    expect(await rightOf(base)).toBe(0);
  });
});

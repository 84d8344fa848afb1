import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Dataset } from '../src/contracts/management/datasets.ts';
import { type RunningPlatform, startPlatform } from './testkit/platform.ts';

const main = join(import.meta.dirname, '../src/cli/main.ts');
let folder: string;
let platform: RunningPlatform;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'finetuning-commands-'));
  platform = await startPlatform({ cwd: folder });
  const line = (index: number) => JSON.stringify({ instruction: `Скажи ${index}`, output: `${index}!` });
  writeFileSync(join(folder, 'беседы.jsonl'), [1, 2, 3, 4, 5].map(line).join('\n'));
  writeFileSync(join(folder, 'few.jsonl'), [1, 2].map(line).join('\n'));
  writeFileSync(join(folder, 'array.json'), `[\n${[1, 2, 3].map(line).join(',\n')}\n]\n`);
  writeFileSync(join(folder, 'bad.jsonl'), `${line(1)}\n{"messages": 3}\n`);
});
afterAll(async () => {
  await platform?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const roundhouse = (...args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: folder, env: process.env };
    execFile(process.execPath, [main, ...args, '--data-dir', 'data'], options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    );
  });

describe('roundhouse datasets', () => {
  test('upload, list, show and delete', async () => {
    const uploaded = await roundhouse(
      'datasets',
      'upload',
      'беседы.jsonl',
      '--description',
      'проба',
      '--json',
    );
    const { id, examples, description } = JSON.parse(uploaded.stdout) as Dataset;
    expect({ examples, description }).toEqual({ examples: 5, description: 'проба' });
    expect((await roundhouse('datasets', 'list')).stdout).toMatch(
      new RegExp(`^ID +CONVERSATIONS .*\\n${id} +5 .*беседы\\.jsonl`),
    );
    const shown = await roundhouse('datasets', 'show', id);
    expect(shown.stdout).toContain('user: Скажи 1\nassistant: 1!\n');
    expect(shown.stdout).toContain('5 conversations');
    expect((await roundhouse('datasets', 'delete', id)).stdout).toContain('was deleted');
    expect(await roundhouse('datasets', 'show', id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was not found'),
    });
  });

  test('a bad file is refused with its lines', async () => {
    const refused = await roundhouse('datasets', 'upload', 'bad.jsonl');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^roundhouse: .*bad\.jsonl: line 2: /);
    expect((await roundhouse('datasets', 'upload', 'array.json')).stderr).toMatch(
      /^roundhouse: .*array\.json: the file is a JSON array, but one JSON object per line is needed .*\n$/,
    );
    expect(await roundhouse('datasets', 'upload', 'none.jsonl')).toMatchObject({
      code: 1,
      stderr: `roundhouse: no such file: ${join(folder, 'none.jsonl')}\n`,
    });
  });
});

describe('roundhouse finetune', () => {
  test('says what is missing, and exits with 1', async () => {
    expect(await roundhouse('finetune', 'run', 'беседы.jsonl')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no model in the library can be trained'),
    });
    expect((await roundhouse('finetune', 'run', 'беседы.jsonl', '--model', 'none')).stderr).toContain(
      "'none' was not found",
    );
    for (const [file, why, ...options] of [
      ['few.jsonl', 'the data set has 2 conversations, but training needs at least 4'],
      ['bad.jsonl', 'bad.jsonl: line 2: '],
      ['none.jsonl', "'none.jsonl' is neither a file nor the id of a data set"],
      ['беседы.jsonl', "--name 'a b': must consist of letters, digits", '--name', 'a b'],
      ['беседы.jsonl', "so --min-improvement can't be met", '--min-improvement', '0.1'],
    ] as const) {
      const refused = await roundhouse('finetune', 'run', file, ...options);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(why) });
    }
    // Nothing of this was uploaded.
    expect(JSON.parse((await roundhouse('datasets', 'list', '--json')).stdout)).toEqual([]);
    expect(await roundhouse('finetune', 'status')).toMatchObject({
      code: 1,
      stderr:
        "roundhouse: no training has been started yet; start one with 'roundhouse finetune run <file>'\n",
    });
    expect((await roundhouse('finetune', 'stop')).code).toBe(1);
    expect((await roundhouse('finetune', 'run', 'a', '--min-improvement', '2')).stderr).toContain(
      'from 0 to 1',
    );
  });
});

test('roundhouse setup trainer says where Python is missing', async () => {
  const missing = await roundhouse('setup', 'trainer', '--set', 'trainer.python=/nowhere/python');
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("/nowhere/python can't be run") });
});

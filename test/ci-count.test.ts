import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Run {
  /** Tests by name and state, for each file; a file without tests could not be loaded. */
  files: Record<string, Record<string, string>>;
  code?: number;
  ended?: boolean;
  unhandledErrors?: number;
}

const script = join(import.meta.dirname, '../.ci/count.mjs');

/** The lines that .ci/count.mjs prints after these runs, and its exit code. */
function count(first: Run, second?: Run) {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-count-'));
  writeFileSync(join(folder, 'verify.log'), 'verify: 2 passed, 0 failed in 1.0 s\n');
  const codes = [first, second].flatMap((run, index) => {
    if (!run) return [];
    const { ended = true, unhandledErrors = 0 } = run;
    const files = Object.entries(run.files).map(([path, states]) => {
      const tests = Object.entries(states).map(([name, state]) => ({ name, state }));
      const failed = tests.length === 0 || tests.some(({ state }) => state === 'failed');
      return { path, failed, tests };
    });
    const report = JSON.stringify({ files, ended, unhandledErrors });
    writeFileSync(join(folder, index === 0 ? 'first-run.json' : 'second-run.json'), report);
    return [String(run.code ?? (files.some(({ failed }) => failed) ? 1 : 0))];
  });
  const { stdout, status } = spawnSync(process.execPath, [script, folder, '0', ...codes], {
    encoding: 'utf8',
  });
  return [...stdout.trim().split('\n'), status];
}

const sound = { 'a.test.ts': { one: 'passed', two: 'passed', later: 'skipped' } };
const shaky = { 'b.test.ts': { right: 'passed', shaky: 'failed' } };

test('all passed', () => {
  expect(count({ files: sound })).toEqual(['4 passed, 0 failed', 0]);
});

test('what passes the second time is passed, and named', () => {
  const again = { 'b.test.ts': { right: 'passed', shaky: 'passed' } };
  expect(count({ files: { ...sound, ...shaky } }, { files: again })).toEqual([
    'FLAKY: b.test.ts > shaky',
    '6 passed, 0 failed',
    0,
  ]);
});

test('what fails twice, or is not run again, is failed', () => {
  expect(count({ files: { ...sound, ...shaky } }, { files: shaky })).toEqual(['5 passed, 1 failed', 1]);
  expect(count({ files: { ...sound, ...shaky } })).toEqual(['5 passed, 1 failed', 1]);
  const skipped = { 'b.test.ts': { right: 'passed', shaky: 'skipped' } };
  expect(count({ files: shaky }, { files: skipped })).toEqual(['3 passed, 1 failed', 1]);
});

test('a file that could not be loaded is one failure, and its tests count once it can', () => {
  const broken = { 'c.test.ts': {} };
  expect(count({ files: { ...sound, ...broken } })).toEqual(['4 passed, 1 failed', 1]);
  expect(count({ files: broken }, { files: { 'c.test.ts': { one: 'passed' } } })).toEqual([
    'FLAKY: c.test.ts > (the file itself)',
    '3 passed, 0 failed',
    0,
  ]);
});

test('an exit code without a reason is a failure', () => {
  expect(count({ files: sound, code: 1 })).toEqual(['4 passed, 1 failed', 1]);
});

test.each<[string, Partial<Run>]>([
  ['an error outside of the tests', { unhandledErrors: 2, code: 1 }],
  ['a run that was cut off', { ended: false, code: 124 }],
])('%s is a failure, whatever a second run says', (_, ending) => {
  expect(count({ files: sound, ...ending })).toEqual(['4 passed, 1 failed', 1]);
  const again = { files: { 'b.test.ts': { right: 'passed', shaky: 'passed' } } };
  expect(count({ files: shaky, ...ending }, again).slice(-2)).toEqual(['4 passed, 1 failed', 1]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isAlive } from '../../../../test/testkit/machine/is-alive.ts';
import { until } from '../../../../test/testkit/until.ts';
import { runLines } from './line-process.ts';

const shell = (script: string) => ({
  file: '/bin/sh',
  args: ['-c', script],
  environment: { PATH: process.env.PATH },
});

test('reports whole lines, standard error separately, and the exit code', async () => {
  const lines: string[] = [];
  let errors = '';
  const end = await runLines(
    shell('printf "on"; sleep 0.1; echo "e\n\ntwo"; echo oops >&2; printf rest; exit 7'),
    {
      signal: new AbortController().signal,
      onLine: (line) => lines.push(line),
      onError: (text) => {
        errors += text;
      },
    },
  );
  expect(end).toEqual({ code: 7, signal: null });
  expect(lines).toEqual(['one', '', 'two', 'rest']);
  expect(errors).toBe('oops\n');
});

test('rejects if the program does not exist', async () => {
  const command = { file: '/nowhere/program', args: [], environment: {} };
  await expect(runLines(command, { signal: new AbortController().signal, onLine() {} })).rejects.toThrow(
    'ENOENT',
  );
});

test('kills a program that ignores SIGTERM, and its children, after the grace period', async () => {
  const stop = new AbortController();
  const pids: number[] = [];
  const ended = runLines(shell('trap "" TERM; sleep 600 & echo $!; echo $$; while true; do sleep 1; done'), {
    signal: stop.signal,
    grace: 200,
    onLine: (line) => pids.push(Number(line)),
  });
  await until('both processes', () => pids.length === 2);
  stop.abort();
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
  await until('their end', () => !pids.some(isAlive));
});

test('the program does not outlive its parent', async () => {
  const script = `
    const { runLines } = await import(${JSON.stringify(new URL('./line-process.ts', import.meta.url).href)});
    const command = { file: '/bin/sh', args: ['-c', 'echo $$; exec sleep 600'], environment: process.env };
    await runLines(command, { signal: new AbortController().signal, onLine: (line) => console.log(line) });`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script]);
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(String(line));
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await until('its end', () => !isAlive(pid));
});

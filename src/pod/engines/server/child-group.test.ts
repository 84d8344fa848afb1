import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isAlive } from '../../../../test/testkit/machine/is-alive.ts';
import { ChildGroup } from './child-group.ts';

const run = promisify(execFile);

/** A server with its own child process, whose pid it prints. */
const family = 'sleep 300 & echo $!; wait';

describe('a server as a child', () => {
  test('gives its lines, and ends with its own children', async () => {
    const lines: string[] = [];
    const child = await ChildGroup.start(
      { file: '/bin/sh', args: ['-c', `echo out; echo err >&2; ${family}`], environment: process.env },
      (line) => lines.push(line),
    );
    await expect.poll(() => lines.length).toBe(3);
    expect(lines).toEqual(expect.arrayContaining(['out', 'err']));
    const grandchild = Number(lines.find((line) => /^\d+$/.test(line)));
    expect(isAlive(grandchild)).toBe(true);
    await child.stop(5_000);
    await expect.poll(() => isAlive(grandchild)).toBe(false);
    expect(await child.ended).toEqual({ code: null, signal: 'SIGTERM' });
  });

  test('that exits by itself ends its children', async () => {
    const lines: string[] = [];
    const child = await ChildGroup.start(
      { file: '/bin/sh', args: ['-c', 'sleep 300 & echo $!; exit 3'], environment: process.env },
      (line) => lines.push(line),
    );
    expect(await child.ended).toEqual({ code: 3, signal: null });
    await expect.poll(() => isAlive(Number(lines[0]))).toBe(false);
  });

  test('dies with this process, even if it is killed', async () => {
    const script = `
      import { ChildGroup } from ${JSON.stringify(new URL('./child-group.ts', import.meta.url).href)};
      const child = await ChildGroup.start(
        { file: '/bin/sh', args: ['-c', ${JSON.stringify(family)}], environment: process.env },
        (line) => { console.log(child?.pid ?? '', line); process.kill(process.pid, 'SIGKILL'); },
      );
      setInterval(() => {}, 1000);`;
    const killed = await run(process.execPath, ['--input-type=module', '-e', script]).then(
      () => expect.unreachable('it ended by itself'),
      (error: { stdout: string; signal: string }) => error,
    );
    expect(killed.signal).toBe('SIGKILL');
    const pids = killed.stdout.trim().split(' ').map(Number);
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('a program that cannot be executed is an error', async () => {
    const command = { file: '/no/such/program', args: [], environment: process.env };
    await expect(ChildGroup.start(command, () => {})).rejects.toThrow('ENOENT');
  });
});

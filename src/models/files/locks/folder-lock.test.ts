import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/testkit/until.ts';
import { processSpace, startOf } from '../../../platform/processes/process-start.ts';
import { ifFolderFree, isLocked, withFolderLock } from './folder-lock.ts';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'folder-lock-'));
  folder = join(root, 'model');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (content: string, secondsOld = 0) => {
  writeFileSync(`${folder}.lock`, content);
  const time = Date.now() / 1000 - secondsOld;
  utimesSync(`${folder}.lock`, time, time);
};
const take = (onWait?: (reason: string) => void) =>
  withFolderLock(folder, { signal: AbortSignal.timeout(60_000), onWait }, async () => 'done');
const owner = (pid: number, started: string | null, space = processSpace()) =>
  JSON.stringify({ space, pid, started });

describe('a lock that is left behind', () => {
  test.each([
    ['empty', ''],
    ['foreign', 'locked by hand'],
    ['of an earlier version', '4242'],
    ['of another machine', owner(1, '7', 'elsewhere pid:[1]')],
    ['JSON of something else', '{"__proto__":{"pid":1}}'],
  ])('%s: it is taken over once it is old, and waited for before, in words', async (_, content) => {
    write(content, 61);
    expect(await isLocked(folder)).toBe(false);
    expect(await take()).toBe('done');
    write(content);
    expect(await isLocked(folder)).toBe(true);
    const reasons: string[] = [];
    const stop = new AbortController();
    const waiting = withFolderLock(
      folder,
      { signal: stop.signal, onWait: (it) => reasons.push(it) },
      async () => 1,
    );
    await until('the reason', () => reasons.length > 0);
    expect(reasons[0]).toMatch(/^waiting for .*model\.lock: .*taken over 60 s after it was last written$/);
    stop.abort();
    await expect(waiting).rejects.toThrow();
  });

  test.each([
    ['of a process that is gone', () => owner(2 ** 22 + 1, '1')],
    ['of a process whose id another has by now', () => owner(process.ppid, '1')],
    ['of this process before a restart', () => owner(process.pid, '1')],
  ])('%s: it is taken over at once', async (_, content) => {
    write(content());
    expect(await take()).toBe('done');
    expect(readdirSync(root)).toEqual([]);
  });

  test('of a process that runs: it counts, however old it is', async () => {
    const other = spawn('sleep', ['60']);
    write(owner(other.pid ?? 0, startOf(other.pid ?? 0)), 3600);
    expect(await isLocked(folder)).toBe(true);
    await ifFolderFree(folder, async () => expect.unreachable(), 100);
    other.kill('SIGKILL');
    await until('its end', () => startOf(other.pid ?? 0) === null);
    expect(await take()).toBe('done');
  });

  test('a folder in its place is named', async () => {
    mkdirSync(`${folder}.lock`);
    await expect(take()).rejects.toThrow(/model\.lock can't be read \(EISDIR\); delete it/);
  });
});

test('one after the other, also within one process, and nothing is left', async () => {
  let inside = 0;
  const work = async () => {
    expect(++inside).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    inside--;
  };
  const lock = { signal: AbortSignal.timeout(60_000) };
  write('', 61);
  await Promise.all([1, 2, 3, 4].map(() => withFolderLock(folder, lock, work)));
  expect(existsSync(`${folder}.lock`)).toBe(false);
  expect(await isLocked(folder)).toBe(false);
});

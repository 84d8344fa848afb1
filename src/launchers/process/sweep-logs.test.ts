import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweepLogs } from './sweep-logs.ts';

test('deletes old folders of gone pods of this machine, and no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sweep-logs-'));
  const add = (name: string, machine: string | null, at: number) => {
    const path = join(folder, name);
    mkdirSync(path);
    writeFileSync(join(path, 'pod.log'), 'text');
    utimesSync(join(path, 'pod.log'), at, at);
    if (machine) writeFileSync(join(path, 'machine'), machine);
    if (machine) utimesSync(join(path, 'machine'), at, at);
    utimesSync(path, at, at);
  };
  add('gone', 'here', 1_000);
  add('gone-before-owners', null, 1_000);
  add('recent', 'here', 3_000);
  add('running', 'here', 1_000);
  add('elsewhere', 'there', 1_000);
  await sweepLogs({ folder, machine: 'here', running: new Set(['running']), before: 2_000_000 });
  expect(readdirSync(folder).sort()).toEqual(['elsewhere', 'recent', 'running']);
  rmSync(folder, { recursive: true });
});

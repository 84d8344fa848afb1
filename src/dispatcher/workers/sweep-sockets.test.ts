import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweepSockets } from './sweep-sockets.ts';

test('deletes old sockets that nobody listens on, and no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sockets-'));
  const path = (digit: string) => join(folder, `roundhouse-${digit.repeat(16)}.sock`);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path('a'), resolve));
  for (const digit of ['b', 'c']) {
    const script = `require('node:net').createServer().listen(${JSON.stringify(path(digit))}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', script]);
  }
  for (const digit of ['a', 'b']) utimesSync(path(digit), 1, 1);
  await sweepSockets(folder);
  expect(readdirSync(folder).sort()).toEqual([path('a'), path('c')].map((one) => one.split('/').at(-1)));
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

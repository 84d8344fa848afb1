import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startPlatform } from './testkit/platform.ts';
import { until } from './testkit/until.ts';

it('a start deletes what killed processes left behind', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'roundhouse-leftovers-'));
  const data = join(cwd, 'data');
  const temporary = join(cwd, 'tmp');
  const gone = {
    import: join(data, 'imported', 'half.partial'),
    log: join(data, 'pods', 'gone', 'pod.log'),
    upload: join(data, 'uploads', 'form-old'),
    socket: join(temporary, 'roundhouse-0123456789abcdef.sock'),
  };
  const kept = join(data, 'pods', 'recent', 'pod.log');
  for (const folder of [gone.import, join(gone.log, '..'), join(kept, '..'), join(gone.upload, '..')]) {
    mkdirSync(folder, { recursive: true });
  }
  mkdirSync(temporary);
  for (const file of [gone.log, gone.upload, kept]) writeFileSync(file, 'x');
  await leaveSocket(gone.socket);
  const longAgo = new Date(Date.now() - 30 * 86_400_000);
  for (const path of [gone.log, join(gone.log, '..'), gone.upload, gone.socket]) {
    utimesSync(path, longAgo, longAgo);
  }
  const env = { TMPDIR: temporary, ROUNDHOUSE_DISPATCHER_WORKERS: '2' };
  const platform = await startPlatform({ cwd, env });
  try {
    for (const [what, path] of Object.entries(gone)) {
      await until(`the ${what} to be deleted`, () => !existsSync(path));
    }
    expect(existsSync(kept)).toBe(true);
  } finally {
    await platform.stop();
    rmSync(cwd, { recursive: true, force: true });
  }
});

/** A process that is killed leaves its socket. */
async function leaveSocket(path: string): Promise<void> {
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('listening'))`;
  const child = spawn(process.execPath, ['-e', script]);
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

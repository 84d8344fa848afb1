import { readdir, stat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A younger socket may belong to a process that is about to listen. */
const youngest = 60_000;

/** Deletes sockets that processes which were killed left behind: those that nobody listens on. */
export async function sweepSockets(folder = tmpdir()): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((name) => /^roundhouse-[0-9a-f]{16}\.sock$/.test(name))) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (!found?.isSocket() || Date.now() - found.mtimeMs < youngest) continue;
    if (await isRefused(path)) await unlink(path).catch(() => {});
  }
}

function isRefused(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
}

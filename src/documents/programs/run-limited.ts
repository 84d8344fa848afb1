import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface ProgramLimits {
  /** Address space, in bytes. */
  memory: number;
  /** Of each file that it writes, in bytes. */
  fileSize: number;
}

const run = promisify(execFile);
/** By which a shell says that there is no such program. */
const commandNotFound = 127;

/**
 * Runs a program of the system in a folder, with limits. It belongs to the worker's process group, so that it ends with
 * the worker if it takes too long. The shell only sets the limits: it never sees the arguments as a command.
 * `false` if the program is not installed; throws if it fails.
 */
export async function runLimited(
  program: string,
  args: string[],
  { folder, limits }: { folder: string; limits: ProgramLimits },
): Promise<boolean> {
  // In KiB, and in blocks of 512 bytes. Systems without one of the limits keep the others.
  const script = `ulimit -v ${limits.memory / 1024}; ulimit -f ${limits.fileSize / 512}; exec "$0" "$@"`;
  try {
    await run('/bin/sh', ['-c', script, program, ...args], { cwd: folder });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === commandNotFound) return false;
    throw error;
  }
}

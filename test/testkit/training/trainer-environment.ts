import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../machine/cache-folder.ts';
import { type Requirement, requirement } from '../requirement.ts';

const run = promisify(execFile);

/** The trainer's folder in this repository. */
export const trainerFolder = join(import.meta.dirname, '..', '..', '..', 'trainer');

/** A Python environment with everything that the trainer and its tests import; created once for all test files. */
export async function trainerEnvironment(): Promise<Requirement & { python: string }> {
  let python = '';
  const found = await requirement('trainer', async () => {
    const script = join(trainerFolder, 'environment.py');
    const { stdout } = await run('python3', [script, '--root', cacheFolder('python'), '--dev'], {
      timeout: 900_000,
      env: process.env,
    }).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }));
    const last = JSON.parse(stdout.trim().split('\n').at(-1) || '{}');
    if (last.event !== 'environment') return last.message ?? 'python3 is missing';
    python = last.python;
    return true;
  });
  return { ...found, python };
}

/** The trainer as an operator installs it, in the folder that `trainer.home` is set to. */
export async function installedTrainer(): Promise<Requirement & { home: string }> {
  const home = dirname(cacheFolder('python'));
  const found = await requirement('trainer', async () => {
    const main = join(trainerFolder, '../src/cli/main.ts');
    const args = [main, 'setup', 'trainer', '--set', `trainer.home=${home}`];
    await run(process.execPath, args, { timeout: 900_000, env: process.env });
  });
  return { ...found, home };
}

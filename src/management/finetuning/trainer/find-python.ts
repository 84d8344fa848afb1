import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Common names of the command, in order of preference. */
const names = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];

/** A Python that can create the trainer's environment, or why there is none. */
export type FoundPython = { command: string } | { reason: string };

export async function findPython(
  configured: string | undefined,
  environment: Record<string, string | undefined>,
): Promise<FoundPython> {
  const tried: string[] = [];
  for (const command of configured === undefined ? names : [configured]) {
    const version = await versionOf(command, environment);
    if (version === undefined) continue;
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major === 3 && minor >= 11) return { command };
    tried.push(`${command} is ${version}`);
  }
  if (tried.length > 0) return { reason: `training needs Python 3.11 or newer; ${tried.join(', ')}` };
  const where = configured === undefined ? 'none is installed' : `${configured} can't be run`;
  return { reason: `training needs Python 3.11 or newer, but ${where}` };
}

async function versionOf(
  command: string,
  environment: Record<string, string | undefined>,
): Promise<string | undefined> {
  try {
    const script = 'import sys; print("%d.%d" % sys.version_info[:2])';
    const { stdout } = await run(command, ['-c', script], { env: environment, timeout: 20_000 });
    return stdout.trim();
  } catch {
    return undefined;
  }
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cacheFolder } from './testkit/machine/cache-folder.ts';
import { trainerEnvironment, trainerFolder } from './testkit/training/trainer-environment.ts';

const run = promisify(execFile);
const environment = await trainerEnvironment();
const bytecode = join(cacheFolder('python'), 'bytecode');

/** Runs a Python module over the trainer's folder; its report, and whether it was content. */
async function check(module: string, ...args: string[]): Promise<{ failed: boolean; report: string }> {
  try {
    const { stdout } = await run(environment.python, ['-m', module, ...args], {
      cwd: trainerFolder,
      env: {
        ...process.env,
        OMP_NUM_THREADS: '1',
        PYTHONDONTWRITEBYTECODE: '',
        PYTHONPYCACHEPREFIX: bytecode,
      },
      maxBuffer: 1 << 26,
    });
    return { failed: false, report: stdout };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { failed: true, report: `${stdout}\n${stderr}` };
  }
}

describe.skipIf(!environment.available)('the trainer', () => {
  it('holds its own tests', { timeout: 600_000 }, async () => {
    const { failed, report } = await check('pytest', '-q', '-p', 'no:cacheprovider');
    expect(failed ? report.slice(-6000) : '').toBe('');
    expect(report).toMatch(/\d{2} passed/);
  });

  it.each(['.', '../bench/finetune'])('is clean under ruff: %s', async (folder) => {
    const config = ['--config', 'pyproject.toml', '--no-cache', folder];
    const linted = await check('ruff', 'check', ...config);
    expect(linted.failed ? linted.report : '').toBe('');
    const formatted = await check('ruff', 'format', '--check', ...config);
    expect(formatted.failed ? formatted.report : '').toBe('');
  });
});

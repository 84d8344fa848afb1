import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** A process that fails while something keeps it alive, and stops with the given `stop`. */
async function failing(stop: string): Promise<number> {
  const script = `
    import { endProcess } from ${JSON.stringify(join(import.meta.dirname, 'end-process.ts'))};
    setInterval(() => {}, 1000);
    process.on('uncaughtException', () => endProcess(${stop}, 7));
    Promise.reject(new Error('broken'));
  `;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  return code;
}

describe('a process that fails', () => {
  test.each([
    ['stops at once', '() => Promise.resolve()'],
    ['cannot be stopped', '() => new Promise(() => {})'],
    ['fails to stop', '() => Promise.reject(new Error("again"))'],
  ])('ends where it %s', async (_title, stop) => {
    expect(await failing(stop)).toBe(7);
  });
});

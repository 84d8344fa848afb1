import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const main = join(import.meta.dirname, '../../src/cli/main.ts');

export interface RunningPlatform {
  url: string;
  pid: number;
  /** Everything it has printed so far. */
  output(): string;
  /** Stops reading what it prints: its next line meets a closed pipe. */
  closeOutput(): void;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
}

interface PlatformOptions {
  /** The working folder; the data folder is `data` in it. */
  cwd?: string;
  args?: string[];
  env?: Record<string, string>;
}

/** The real program in its own process, on a free port, without starter models by default. */
export async function startPlatform(options: PlatformOptions = {}): Promise<RunningPlatform> {
  const cwd = options.cwd ?? mkdtempSync(join(tmpdir(), 'roundhouse-platform-'));
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', ...(options.args ?? [])], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ROUNDHOUSE_DATA_DIR: join(cwd, 'data'),
      ROUNDHOUSE_STARTER: 'false',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const exited = once(child, 'exit').then(([code]) => code as number | null);

  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /(?:Open|Listening on)\s+(http:\/\/\S+?)\/?\s/.exec(output)?.[1];
      if (found) resolve(found);
    };
    child.stderr.on('data', look);
    void exited.then((code) =>
      reject(new Error(`the platform exited with ${code} before it was ready:\n${output}`)),
    );
  });
  return {
    url,
    pid: child.pid ?? 0,
    output: () => output,
    closeOutput: () => {
      child.stdout.destroy();
      child.stderr.destroy();
    },
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

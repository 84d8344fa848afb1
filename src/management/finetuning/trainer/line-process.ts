import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import {
  dismissGuard,
  endGroup,
  guardGroup,
  signalGroup,
} from '../../../platform/processes/process-group.ts';

export interface LineCommand {
  file: string;
  args: string[];
  environment: Record<string, string | undefined>;
  /** Niceness, 0 to 19. */
  nice?: number;
}

interface LineOptions {
  onLine(line: string): void;
  /** Receives standard error as it is written. */
  onError?(text: string): void;
  /** When it fires: SIGTERM, then SIGKILL after `grace`. */
  signal: AbortSignal;
  /** Milliseconds between SIGTERM and SIGKILL. */
  grace?: number;
  /** When it fires: SIGUSR1, which asks the program to finish early and keep its results. */
  early?: AbortSignal;
}

export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Limits the memory that an endless line can use. */
const longestLine = 4 * 2 ** 20;

/** Runs a program and reads its output by line, in a process group that never outlives this process. */
export function runLines(command: LineCommand, options: LineOptions): Promise<ProcessEnd> {
  const { onLine, onError, signal, grace = 8_000, early } = options;
  signal.throwIfAborted();
  const child = spawn(command.file, command.args, {
    env: command.environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  splitLines(child.stdout, onLine);
  child.stderr.setEncoding('utf8').on('data', (text: string) => onError?.(text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => {
      const pid = child.pid as number;
      const guard = guardGroup(pid, 0);
      if (command.nice) lowerPriority(pid, command.nice);
      let kill: NodeJS.Timeout | undefined;
      const stop = () => {
        signalGroup(pid, 'SIGTERM');
        kill = setTimeout(() => signalGroup(pid, 'SIGKILL'), grace);
      };
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      const finish = () => signalGroup(pid, 'SIGUSR1');
      early?.addEventListener('abort', finish, { once: true });
      child.once('exit', () => {
        signal.removeEventListener('abort', stop);
        early?.removeEventListener('abort', finish);
        clearTimeout(kill);
        // Child processes that it left behind would keep the pipes open.
        signalGroup(pid, 'SIGKILL');
        dismissGuard(guard);
      });
      child.once('close', (code, ended) => {
        endGroup(pid).then(() => resolve({ code, signal: ended }), reject);
      });
    });
  });
}

function lowerPriority(pid: number, nice: number): void {
  try {
    setPriority(pid, nice);
  } catch {
    // It has exited already or the system forbids it; neither is an error.
  }
}

function splitLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(-longestLine);
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}

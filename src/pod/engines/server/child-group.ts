import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Runs a server as a child process in its own process group, so that its descendants end with it. A shell that reads
 * from a pipe of this process kills the group when this process dies in any way.
 */
export class ChildGroup {
  readonly pid: number;
  /** Resolves when the child has exited. */
  readonly ended: Promise<ChildEnd>;
  readonly #guard: ChildProcess;

  private constructor(child: ChildProcess, pid: number) {
    this.pid = pid;
    this.#guard = guard(pid);
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        // The child's own children (workers, engine cores) must not outlive it and keep memory allocated.
        signalGroup(pid, 'SIGKILL');
        if (this.#guard.pid !== undefined) signalGroup(this.#guard.pid, 'SIGKILL');
        // The last lines, which explain the exit, may still be in the pipe.
        child.once('close', () => resolve({ code, signal }));
        setTimeout(() => resolve({ code, signal }), 2_000).unref();
      });
    });
  }

  /** Starts the command; `onLine` receives each line of stdout and stderr. */
  static start(command: ChildCommand, onLine: (line: string) => void): Promise<ChildGroup> {
    const child = spawn(command.file, command.args, {
      env: command.environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) splitLines(stream, onLine);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => resolve(new ChildGroup(child, child.pid as number)));
    });
  }

  /** Asks the group to exit, and kills it after `grace` milliseconds. */
  async stop(grace: number): Promise<void> {
    signalGroup(this.pid, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(this.pid, 'SIGKILL'), grace);
    await this.ended;
    clearTimeout(timer);
  }

  kill(): void {
    signalGroup(this.pid, 'SIGKILL');
  }
}

export interface ChildCommand {
  file: string;
  args: string[];
  environment: NodeJS.ProcessEnv;
}

export interface ChildEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

function guard(pid: number): ChildProcess {
  const script = `read -r _; kill -s KILL -- -${pid} 2>/dev/null`;
  const shell = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  shell.on('error', () => {});
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  return shell;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Progress bars rewrite their line with a carriage return; each update counts as a line. */
function splitLines(stream: NodeJS.ReadableStream | null, onLine: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (text: string) => {
    const lines = (rest + text).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '').slice(-10_000);
    for (const line of lines) if (line.trim() !== '') onLine(line);
  });
  stream?.on('end', () => {
    if (rest.trim() !== '') onLine(rest);
  });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';

/** A server that is measured. */
export interface Target {
  name: string;
  url: string;
  /** The processes whose CPU time and memory are measured, including their children. */
  pids: number[];
  headers?: Record<string, string>;
  stop(): Promise<void>;
}

interface SpawnOptions {
  env?: Record<string, string>;
  cwd?: string;
  /** The file that the output goes to. Without one, its end is kept for the error message. */
  output?: string;
}

/** Starts a program and waits until it listens. */
export async function startServer(
  name: string,
  command: string[],
  port: number,
  options: SpawnOptions = {},
): Promise<Target> {
  const [program = '', ...args] = command;
  const file = options.output === undefined ? undefined : openSync(options.output, 'a');
  const child = spawn(program, args, {
    stdio: ['ignore', file ?? 'pipe', 'pipe'],
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-2000);
  };
  if (file !== undefined) closeSync(file);
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  child.on('error', (error) => keep(Buffer.from(error.message)));
  for (let tries = 0; !(await isListening(port)); tries++) {
    if (child.exitCode !== null || tries > 600) throw new Error(`${name} did not start: ${output}`);
    await sleep(100);
  }
  return { name, url: `http://127.0.0.1:${port}`, pids: [child.pid ?? 0], stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 5000);
  await exited;
  clearTimeout(force);
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** User and system time of the processes and their descendants, in microseconds. */
export function processorTime(pids: readonly number[]): number {
  return family(pids).reduce((sum, pid) => sum + (statOf(pid)?.ticks ?? 0), 0) * 10_000;
}

/** Resident memory of the processes and their descendants, in megabytes. */
export function memory(pids: readonly number[]): number {
  return family(pids).reduce((sum, pid) => sum + residentOf(pid), 0) / 2 ** 20;
}

function family(pids: readonly number[]): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : undefined;
    if (stat) parents.set(Number(entry), stat.parent);
  }
  const found = new Set(pids);
  for (let grown = true; grown; ) {
    const before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
    grown = found.size > before;
  }
  return [...found];
}

function statOf(pid: number): { parent: number; ticks: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined;
  }
}

function residentOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

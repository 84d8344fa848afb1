// `node bench/start.ts [rounds]`: time of a warm start until /readyz answers 200, compared with the start of Node
// itself, and memory of the idle platform. Goals: 1.5 s and 150 MB.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const rounds = Number(process.argv[2] ?? 5);
const idleSeconds = 5;
const goals = { seconds: 1.5, megabytes: 150 };
const root = dirname(import.meta.dirname);
const folder = mkdtempSync(join(tmpdir(), 'roundhouse-bench-'));

try {
  // The first start fills the compile cache and creates the database, so it is not measured.
  await measure();
  const starts: number[] = [];
  const memory: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const { seconds, megabytes } = await measure(round === rounds ? idleSeconds : 0);
    starts.push(seconds);
    if (round === rounds) memory.push(megabytes);
  }
  const bare = median(Array.from({ length: rounds }, bareStart));
  const start = median(starts);
  const idle = memory[0] ?? Number.NaN;
  console.log(
    `start to ready   ${start.toFixed(3)} s median of ${rounds} (goal ${goals.seconds} s), worst ${Math.max(...starts).toFixed(3)} s`,
  );
  console.log(`plain Node start ${bare.toFixed(3)} s; ratio ${(start / bare).toFixed(1)}`);
  console.log(`idle memory      ${idle.toFixed(0)} MB after ${idleSeconds} s (goal ${goals.megabytes} MB)`);
  process.exitCode = start <= goals.seconds && idle <= goals.megabytes ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(idle = 0): Promise<{ seconds: number; megabytes: number }> {
  const port = await freePort();
  const begun = performance.now();
  const child = spawn(process.execPath, [join(root, 'src/cli/main.ts'), 'serve'], {
    cwd: folder,
    env: {
      ...process.env,
      ROUNDHOUSE_PORT: String(port),
      ROUNDHOUSE_DATA_DIR: join(folder, 'data'),
      ROUNDHOUSE_STARTER: 'false',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  try {
    await ready(child, `http://127.0.0.1:${port}/readyz`, () => said);
    const seconds = (performance.now() - begun) / 1000;
    await pause(idle * 1000);
    return { seconds, megabytes: residentMegabytes(child) };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function ready(child: ChildProcess, url: string, said: () => string): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the platform exited: ${said()}`);
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.status === 200) return;
    await pause(5);
  }
  throw new Error('the platform was not ready within 60 s');
}

function residentMegabytes(child: ChildProcess): number {
  if (process.platform !== 'linux') {
    return (
      Number(spawnSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' }).stdout) / 1024
    );
  }
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

function bareStart(): number {
  const begun = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return (performance.now() - begun) / 1000;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0));
    });
  });
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

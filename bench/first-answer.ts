// `node bench/first-answer.ts [rounds] [commit]`: time from `git clone` until the starter model has answered, by stage,
// with the machine's own Node, an empty home folder and an empty npm cache. Goal: 30 s. On a busy machine, compare the
// processor time of two commits instead.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const rounds = Number(process.argv[2] ?? 1);
const commit = process.argv[3] ?? 'HEAD';
const goal = 30;
const limit = 300;
const root = dirname(import.meta.dirname);

const resolved = execFileSync('git', ['rev-parse', commit], { cwd: root, encoding: 'utf8' }).trim();

/** What the platform prints at the end of each stage. */
const stages: [stage: string, line: RegExp][] = [
  ['Node and dependencies', /installing dependencies: done in \d+ s/i],
  ['start of the platform', /Roundhouse is ready/],
  ['download of the model', /Starting SmolLM2/],
  ['start of the model', /is ready\. Try it/],
];

const totals: number[] = [];
for (let round = 0; round < rounds; round++) totals.push(await measure());
const best = Math.min(...totals);
console.log(
  `clone to first answer   ${best.toFixed(1)} s, best of ${rounds} (goal ${goal} s); ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`,
);
process.exitCode = best <= goal ? 0 : 1;

async function measure(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-first-answer-'));
  const port = await freePort();
  const begun = performance.now();
  const seconds = () => (performance.now() - begun) / 1000;
  let last = { wall: 0, processor: 0 };
  const report = (stage: string, child?: ChildProcess) => {
    const now = { wall: seconds(), processor: child?.pid ? processorSeconds(child.pid) : 0 };
    const since = (key: keyof typeof now) => (now[key] - last[key]).toFixed(1).padStart(5);
    console.log(`${stage.padEnd(24)}${since('wall')} s${since('processor').padStart(8)} s of processor time`);
    last = now;
  };
  try {
    execFileSync('git', ['clone', '--quiet', root, join(folder, 'clone')]);
    execFileSync('git', ['checkout', '--quiet', '--detach', resolved], { cwd: join(folder, 'clone') });
    report('clone');
    const child = start(folder, port, report);
    try {
      await answer(child, `http://127.0.0.1:${port}/v1/chat/completions`);
      report('first answer', child);
      return seconds();
    } finally {
      await stop(child);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(
  folder: string,
  port: number,
  report: (stage: string, child: ChildProcess) => void,
): ChildProcess {
  const home = join(folder, 'home');
  mkdirSync(home);
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|roundhouse_)/i.test(name));
  const path = (process.env.PATH ?? '').split(delimiter).filter((place) => !place.startsWith(root));
  const env = {
    ...Object.fromEntries(inherited),
    PATH: path.join(delimiter),
    HOME: home,
    npm_config_cache: join(home, 'npm-cache'),
  };
  // A process group of its own, so that nothing is left if the platform does not stop.
  const child = spawn('npm', ['start', '--', '--port', String(port)], {
    cwd: join(folder, 'clone'),
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const left = [...stages];
  const read = (chunk: Buffer) => {
    output += chunk;
    for (let [next] = left; next?.[1].test(output); [next] = left) {
      report(next[0], child);
      left.shift();
    }
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  child.once('close', (code) => {
    if (code) console.error(output);
  });
  return child;
}

/** Processor time of a process group so far, including the processes that have ended; 0 where there is no /proc. */
function processorSeconds(group: number): number {
  if (process.platform !== 'linux') return 0;
  const ticks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        // The name in brackets may contain spaces; the group is the third field after it.
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        return Number(fields[2]) === group
          ? fields.slice(11, 15).reduce((sum, it) => sum + Number(it), 0)
          : 0;
      } catch {
        return 0;
      }
    });
  return ticks.reduce((sum, it) => sum + it, 0) / 100;
}

async function answer(child: ChildProcess, url: string): Promise<void> {
  const body = JSON.stringify({
    model: 'smollm2-135m-instruct',
    messages: [{ role: 'user', content: 'Hello!' }],
    max_tokens: 16,
  });
  const deadline = performance.now() + limit * 1000;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`npm start exited with ${child.exitCode}`);
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }).catch(() => undefined);
    if (response?.ok) {
      const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
      if (choices[0]?.message.content) return;
    } else await response?.body?.cancel();
    await pause(200);
  }
  throw new Error(`there was no answer within ${limit} s`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const group = -child.pid;
  const ended = new Promise((resolve) => child.once('close', resolve));
  const signal = (name: 'SIGTERM' | 'SIGKILL') => {
    try {
      process.kill(group, name);
    } catch {
      // It has already ended.
    }
  };
  signal('SIGTERM');
  const timer = setTimeout(() => signal('SIGKILL'), 20_000);
  await ended;
  clearTimeout(timer);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0));
    });
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

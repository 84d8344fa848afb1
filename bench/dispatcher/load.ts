import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Target } from './processes.ts';

const run = promisify(execFile);

export interface LoadResult {
  requests: number;
  errors: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

export const body = JSON.stringify({
  model: 'mock',
  messages: [
    { role: 'user', content: 'Tell me something about trains and about the houses that they sleep in.' },
  ],
  temperature: 0.7,
  max_tokens: 64,
  stream: false,
});

let wrk: Promise<boolean> | undefined;

/**
 * Whether wrk makes the load. The client in this process takes a processor for itself, so that the figures of fast
 * targets are the client's own: they can't be compared with those of wrk.
 */
export function hasWrk(): Promise<boolean> {
  wrk ??= run('wrk', ['-v']).then(
    () => true,
    (error) => error.code !== 'ENOENT',
  );
  return wrk;
}

/** Keeps `connections` requests running for a while: with wrk if it is installed, otherwise in this process. */
export async function load(target: Target, connections: number, seconds: number): Promise<LoadResult> {
  return (await hasWrk()) ? withWrk(target, connections, seconds) : fromHere(target, connections, seconds);
}

async function withWrk(target: Target, connections: number, seconds: number): Promise<LoadResult> {
  const script = join(mkdtempSync(join(tmpdir(), 'roundhouse-wrk-')), 'request.lua');
  const headers = { 'content-type': 'application/json', ...target.headers };
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`);
  const summary = `done = function(summary, latency)
    io.write(string.format("RESULT %d %d %d %d %d\\n", summary.requests,
      summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
      summary.duration, latency:percentile(50), latency:percentile(99)))
  end`;
  writeFileSync(script, ['wrk.method = "POST"', `wrk.body = [[${body}]]`, ...lines, summary].join('\n'));
  const args = ['-t1', `-c${connections}`, `-d${seconds}`, '-s', script, `${target.url}/v1/chat/completions`];
  const { stdout } = await run('wrk', args, { timeout: (seconds + 30) * 1000 });
  const [requests = 0, errors = 0, duration = 1, p50 = 0, p99 = 0] = (/RESULT (.*)/.exec(stdout)?.[1] ?? '')
    .split(' ')
    .map(Number);
  return { requests, errors, perSecond: requests / (duration / 1e6), p50: p50 / 1000, p99: p99 / 1000 };
}

async function fromHere(target: Target, connections: number, seconds: number): Promise<LoadResult> {
  const { hostname, port } = new URL(target.url);
  const headers = Object.entries({ 'content-type': 'application/json', ...target.headers });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const message = `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${head}content-length: ${body.length}\r\n\r\n${body}`;
  const latencies: number[] = [];
  let errors = 0;
  const started = performance.now();
  const end = started + seconds * 1000;
  await Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise<void>((resolve) => {
          const socket = connect(Number(port), hostname, () => socket.setNoDelay().write(message));
          let begun = performance.now();
          let text = '';
          socket.on('data', (chunk) => {
            text += chunk.toString('latin1');
            const split = text.indexOf('\r\n\r\n');
            const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? -1);
            if (split < 0 || (length >= 0 ? text.length < split + 4 + length : !text.endsWith('0\r\n\r\n')))
              return;
            latencies.push(performance.now() - begun);
            if (!/^HTTP\/1\.1 2/.test(text)) errors++;
            text = '';
            begun = performance.now();
            if (begun < end) socket.write(message);
            else socket.end();
          });
          socket.on('error', () => errors++).on('close', () => resolve());
        }),
    ),
  );
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  const perSecond = latencies.length / ((performance.now() - started) / 1000);
  return { requests: latencies.length, errors, perSecond, p50: at(0.5), p99: at(0.99) };
}

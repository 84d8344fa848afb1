import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../test/testkit/machine/cache-folder.ts';
import { startServer, type Target } from './processes.ts';

const run = promisify(execFile);

/** A peer that could not be installed is reported as absent, never as beaten. */
export interface Absent {
  name: string;
  absent: string;
}

export type Peer = Target | Absent;

const routers = { 'vllm-router': '0.1.16', 'sglang-router': '0.3.2' } as const;
const portkey = '@portkey-ai/gateway@1.15.2';

/** The Rust routers with their cache-aware policy. */
export function startRouter(name: keyof typeof routers, port: number, pod: string): Promise<Peer> {
  return orAbsent(name, async () => {
    const program = join(await pythonPackages(), 'bin', name);
    const level = name === 'vllm-router' ? 'warning' : 'warn';
    const flags = [
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--worker-urls',
      pod,
      '--policy',
      'cache_aware',
    ];
    const quiet = ['--log-level', level, '--prometheus-port', String(port + 1)];
    const launch = name === 'sglang-router' ? ['launch'] : [];
    return startServer(name, [program, ...launch, ...flags, ...quiet], port);
  });
}

export function startPortkey(port: number, pod: string): Promise<Peer> {
  return orAbsent('portkey', async () => {
    const folder = cacheFolder('bench-portkey');
    const server = join(folder, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js');
    if (!existsSync(server)) {
      await run('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-save', portkey], {
        timeout: 300_000,
      });
    }
    const target = await startServer(
      'portkey',
      [process.execPath, server, '--headless', `--port=${port}`],
      port,
      {
        env: { NODE_ENV: 'production' },
      },
    );
    const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${pod}/v1` };
    return { ...target, headers };
  });
}

async function pythonPackages(): Promise<string> {
  const folder = cacheFolder('bench-routers');
  if (existsSync(join(folder, 'bin', 'sglang-router'))) return folder;
  await run('python3', ['-m', 'venv', folder], { timeout: 120_000 });
  const wanted = Object.entries(routers).map(([name, version]) => `${name}==${version}`);
  await run(join(folder, 'bin', 'pip'), ['install', '-q', ...wanted], { timeout: 600_000 });
  return folder;
}

async function orAbsent(name: string, start: () => Promise<Target>): Promise<Peer> {
  try {
    return await start();
  } catch (error) {
    return { name, absent: ((error as Error).message.split('\n')[0] ?? '').slice(0, 200) };
  }
}

export function isPresent(peer: Peer): peer is Target {
  return !('absent' in peer);
}

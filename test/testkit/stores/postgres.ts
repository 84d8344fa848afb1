import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePorts } from '../machine/free-ports.ts';

export interface PostgresServer {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Ends the server as a crash of its machine would; `resume` starts it again with its data. */
  halt(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

const packagesFolder = '/usr/lib/postgresql';

/** The newest PostgreSQL installed from Debian's packages, or null. */
export function postgresBinaries(): string | null {
  try {
    const newest = readdirSync(packagesFolder)
      .map(Number)
      .filter((major) => major >= 15)
      .sort((a, b) => b - a)[0];
    return newest ? join(packagesFolder, String(newest), 'bin') : null;
  } catch {
    return null;
  }
}

/** A real server with its own folder, socket and port; `stop` removes all of it. */
export async function startPostgres(): Promise<PostgresServer> {
  const binaries = postgresBinaries();
  if (!binaries) throw new Error(`no PostgreSQL 15 or newer in ${packagesFolder}`);
  const identity = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-postgres-'));
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid ?? identity.uid);
  const data = join(folder, 'data');
  const options = { ...identity, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } };
  execFileSync(
    join(binaries, 'initdb'),
    ['-D', data, '-U', 'roundhouse', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-instructions'],
    { ...options, stdio: 'pipe' },
  );
  const [port = 0] = await freePorts(1);
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    port,
    fsync: 'off',
    max_connections: 200,
    shared_buffers: '32MB',
  };
  const launch = () => {
    const server = spawn(
      join(binaries, 'postgres'),
      ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { ...options, stdio: 'ignore' },
    );
    return { server, stopped: new Promise<void>((resolve) => server.once('exit', () => resolve())) };
  };
  let { server, stopped } = launch();
  const urlOf = (name: string) => `postgres://roundhouse@127.0.0.1:${port}/${name}`;
  let admin = await connectWhenReady(urlOf('postgres'), () => server.exitCode);
  return {
    async createDatabase() {
      const name = `test_${randomBytes(6).toString('hex')}`;
      await admin.query(`create database ${name}`);
      return urlOf(name);
    },
    async halt() {
      server.kill('SIGQUIT');
      await stopped;
    },
    async resume() {
      ({ server, stopped } = launch());
      admin = await connectWhenReady(urlOf('postgres'), () => server.exitCode);
    },
    async stop() {
      await admin.end().catch(() => {});
      server.kill('SIGINT');
      await stopped;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): Pick<SpawnOptions, 'uid' | 'gid'> {
  if (process.getuid?.() !== 0) return {};
  const number = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: number('-u'), gid: number('-g') };
}

async function connectWhenReady(url: string, exitCode: () => number | null): Promise<pg.Client> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      client.on('error', () => {});
      return client;
    } catch (error) {
      if (exitCode() !== null) throw new Error(`PostgreSQL ended with code ${exitCode()}`);
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

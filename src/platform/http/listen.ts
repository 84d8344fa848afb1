import { StartupError } from '../startup-error.ts';
import type { App } from './service.ts';

interface ListenOptions {
  host: string;
  port: number;
  /** Threads that listen in the app's place and pass on to it, on a socket of its own, what they don't serve. */
  workers?: { inner: string; listen(host: string, port: number): Promise<number> } | undefined;
}

/** Starts to listen, and says in one line why where it can't. Returns the address for people to open. */
export async function listen(app: App, { host, port, workers }: ListenOptions): Promise<string> {
  try {
    await app.listen(workers ? { path: workers.inner } : { host, port });
    const bound = workers ? await workers.listen(host, port) : app.server.address();
    const actual = typeof bound === 'object' && bound !== null ? bound.port : bound;
    return `http://${reachable(host)}:${actual ?? port}`;
  } catch (error) {
    throw new StartupError(explain(error as NodeJS.ErrnoException, host, port));
  }
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is in use by another program: stop it, or choose another port with --port or ROUNDHOUSE_PORT`;
    case 'EACCES':
      return `port ${port} needs more rights than this user has: choose one above 1023 with --port or ROUNDHOUSE_PORT`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine: choose another with --host or ROUNDHOUSE_HOST`;
    default:
      return `can't listen on ${host} port ${port}: ${error.message}`;
  }
}

/** A wildcard can be listened on, not opened. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

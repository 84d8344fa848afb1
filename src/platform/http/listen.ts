import { StartupError } from '../startup-error.ts';
import type { App } from './service.ts';

interface ListenOptions {
  host: string;
  port: number;
  /** Threads that listen instead of the app and forward what they don't serve to it through the `inner` socket. */
  workers?: { inner: string; listen(host: string, port: number): Promise<number> } | undefined;
}

/** Starts listening and returns the URL to open. Throws a `StartupError` with a one-line reason on failure. */
export async function listen(app: App, { host, port, workers }: ListenOptions): Promise<string> {
  try {
    await quietly(app, () => app.listen(workers ? { path: workers.inner } : { host, port }));
    const bound = workers ? await workers.listen(host, port) : app.server.address();
    const actual = typeof bound === 'object' && bound !== null ? bound.port : bound;
    return `http://${reachable(host)}:${actual ?? port}`;
  } catch (error) {
    throw new StartupError(explainListening(error as NodeJS.ErrnoException, host, port));
  }
}

/** Fastify logs each address that it listens on, but `serve` and pods say themselves where they can be reached. */
async function quietly(app: App, work: () => Promise<unknown>): Promise<void> {
  const { level } = app.log;
  app.log.level = 'warn';
  try {
    await work();
  } finally {
    app.log.level = level;
  }
}

/** Why listening failed, in one line. */
export function explainListening(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is in use by another program: stop it, or choose another port with --port or ROUNDHOUSE_PORT`;
    case 'EACCES':
      return `port ${port} requires privileges that this user doesn't have: choose a port above 1023 with --port or ROUNDHOUSE_PORT`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine: choose another with --host or ROUNDHOUSE_HOST`;
    default:
      return `can't listen on ${host} port ${port}: ${error.message}`;
  }
}

/** Replaces a wildcard address, which can't be opened in a browser. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

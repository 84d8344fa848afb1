import { StartupError } from '../startup-error.ts';
import type { App } from './service.ts';

/** Starts to listen, and says in one line why where it can't. Returns the address for people to open. */
export async function listen(app: App, { host, port }: { host: string; port: number }): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw new StartupError(explain(error as NodeJS.ErrnoException, host, port));
  }
  const bound = app.server.address();
  const actual = typeof bound === 'object' && bound !== null ? bound.port : port;
  return `http://${reachable(host)}:${actual}`;
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

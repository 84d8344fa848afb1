import { createServer, type RequestListener, type Server } from 'node:http';
import type { Front } from './proxy/front.ts';

/** A server whose requests the front sees first; what it leaves goes to the web framework. */
export function frontedServer(front: Front, rest: RequestListener): Server {
  const server = createServer({ noDelay: true, keepAlive: true }, (request, response) => {
    if (!front(request, response)) rest(request, response);
  });
  // Longer than the idle time of common load balancers, so that they close first and never meet a closed connection.
  server.keepAliveTimeout = 72_000;
  return server;
}

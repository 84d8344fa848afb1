import { type RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Front } from './calls/front.ts';
import { Lane } from './wire/lane.ts';
import { keepAliveSeconds } from './wire/wire-call.ts';

/** A server that offers each request to the front first and passes the rest to the web framework. */
export function frontedServer(front: Front, rest: RequestListener): Server {
  return new FrontedServer(front, rest);
}

/**
 * Ordinary requests for the front are parsed directly from the socket, because Node's HTTP parsing and response
 * handling costs several times as much as the proxy itself. Node handles all other connections from the first byte.
 */
class FrontedServer extends Server {
  readonly #lane: Lane;

  constructor(front: Front, rest: RequestListener) {
    super({ noDelay: true, keepAlive: true }, (request, response) => {
      if (!front.take(request, response)) rest(request, response);
    });
    this.keepAliveTimeout = keepAliveSeconds * 1000;
    this.#lane = new Lane(front.find, (socket) => void super.emit('connection', socket), front.bodies);
  }

  /** Connections go to the lane first. It re-emits those that it does not serve, so Node's parser sees only them. */
  override emit(event: string, ...args: unknown[]): boolean {
    if (event !== 'connection') return super.emit(event, ...args);
    this.#lane.take(args[0] as Socket);
    return true;
  }

  override close(callback?: (error?: Error) => void): this {
    this.#lane.close();
    return super.close(callback);
  }

  override closeAllConnections(): void {
    this.#lane.closeAll();
    super.closeAllConnections();
  }
}

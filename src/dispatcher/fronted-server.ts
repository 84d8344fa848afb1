import { type RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Front } from './calls/front.ts';
import { Lane } from './wire/lane.ts';
import { keepAliveSeconds } from './wire/wire-call.ts';

/** A server whose requests the front sees first; what it leaves goes to the web framework. */
export function frontedServer(front: Front, rest: RequestListener): Server {
  return new FrontedServer(front, rest);
}

/**
 * Ordinary requests for the front are read from the socket itself: Node's own parsing and answering costs several
 * times what the proxy does. Everything else is Node's, from the first byte on.
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

  /** Whoever listens for connections, Node's parser first of all, sees those alone that are for it. */
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

import type { Socket } from 'node:net';
import type { Call } from './call.ts';
import { CallerConnection } from './caller-connection.ts';
import type { OrdinaryRequest } from './ordinary-request.ts';

/** Finds who serves a request; undefined where it is not for the lane. */
export type FindServer = (request: OrdinaryRequest) => ((call: Call) => void) | undefined;

const lookEvery = 5000;

/** The connections whose requests are read straight from the socket. */
export class Lane {
  readonly find: FindServer;
  readonly #handOver: (socket: Socket) => void;
  readonly #connections = new Set<CallerConnection>();
  readonly #looking: NodeJS.Timeout;
  #closing = false;

  /** `handOver` is given the connections whose requests are none of the lane's. */
  constructor(find: FindServer, handOver: (socket: Socket) => void) {
    this.find = find;
    this.#handOver = handOver;
    this.#looking = setInterval(() => {
      const now = performance.now();
      for (const connection of this.#connections) connection.checkPatience(now);
    }, lookEvery).unref();
  }

  /** Whether connections are to be closed once their present request is answered. */
  get closing(): boolean {
    return this.#closing;
  }

  take(socket: Socket): CallerConnection {
    const connection = new CallerConnection(socket, this);
    this.#connections.add(connection);
    return connection;
  }

  forget(connection: CallerConnection): void {
    this.#connections.delete(connection);
  }

  handOver(connection: CallerConnection): void {
    this.#connections.delete(connection);
    this.#handOver(connection.socket);
  }

  /** Ends each connection as soon as its request is answered. */
  close(): void {
    this.#closing = true;
    clearInterval(this.#looking);
    for (const connection of this.#connections) if (connection.idle) connection.socket.destroySoon();
  }

  closeAll(): void {
    for (const connection of this.#connections) connection.socket.destroy();
  }
}

import type { Socket } from 'node:net';
import type { BodyMemory } from './body-memory.ts';
import type { Call } from './call.ts';
import { CallerConnection } from './caller-connection.ts';
import type { OrdinaryRequest } from './ordinary-request.ts';

/** Finds the function that serves a request; undefined if the lane does not serve it. */
export type FindServer = (request: OrdinaryRequest) => ((call: Call) => void) | undefined;

const lookEvery = 5000;

/** Manages the connections whose requests are read directly from the socket. */
export class Lane {
  readonly find: FindServer;
  readonly bodies: BodyMemory;
  readonly #handOver: (socket: Socket) => void;
  readonly #connections = new Set<CallerConnection>();
  readonly #looking: NodeJS.Timeout;
  #closing = false;

  /** `handOver` receives the connections with requests that the lane does not serve. */
  constructor(find: FindServer, handOver: (socket: Socket) => void, bodies: BodyMemory) {
    this.find = find;
    this.bodies = bodies;
    this.#handOver = handOver;
    this.#looking = setInterval(() => {
      const now = performance.now();
      for (const connection of this.#connections) connection.checkPatience(now);
    }, lookEvery).unref();
  }

  /** Whether connections are closed after their current response. */
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

  /** Closes each connection as soon as its current request is answered. */
  close(): void {
    this.#closing = true;
    clearInterval(this.#looking);
    for (const connection of this.#connections) if (connection.idle) connection.socket.destroySoon();
  }

  closeAll(): void {
    for (const connection of this.#connections) connection.socket.destroy();
  }
}

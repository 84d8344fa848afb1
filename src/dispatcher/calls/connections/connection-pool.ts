import type { PodAddress } from '../../wire/open-socket.ts';
import { PodConnection } from '../../wire/pod-connection.ts';

export interface ConnectionSettings {
  connect_timeout: number;
  first_byte_timeout: number;
  idle_timeout: number;
}

/** More idle connections than this to one pod are closed. */
const mostIdle = 256;

/** The connections to one pod; of the idle ones the last used is the first to be used again. */
export class ConnectionPool {
  /** The path of the pod's address, which all requests begin with. */
  readonly basePath: string;
  readonly #address: PodAddress;
  readonly #connectTimeout: number;
  readonly #idle: PodConnection[] = [];
  #closed = false;

  constructor(address: string, settings: ConnectionSettings) {
    const { protocol, host, hostname, port, pathname } = new URL(address);
    const secure = protocol === 'https:';
    this.#address = {
      host,
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port || (secure ? 443 : 80)),
      secure,
    };
    this.basePath = pathname.replace(/\/+$/, '');
    this.#connectTimeout = settings.connect_timeout;
  }

  /** What the `host` header says. */
  get host(): string {
    return this.#address.host;
  }

  /** A connection that has worked before, or undefined. */
  takeIdle(): PodConnection | undefined {
    for (let last = this.#idle.pop(); last; last = this.#idle.pop()) {
      if (last.isFresh(performance.now())) return last;
      last.destroy();
    }
    return undefined;
  }

  open(): PodConnection {
    return new PodConnection(this.#address, this.#connectTimeout, (connection) => this.#forget(connection));
  }

  give(connection: PodConnection): void {
    if (!connection.reusable) return;
    if (this.#closed || this.#idle.length >= mostIdle) connection.destroy();
    else this.#idle.push(connection);
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  #forget(connection: PodConnection): void {
    const place = this.#idle.indexOf(connection);
    if (place >= 0) this.#idle.splice(place, 1);
  }
}

import { addressOf, type TcpAddress } from '../../../platform/wire/open-socket.ts';
import { PodConnection } from '../../wire/pod-connection.ts';

export interface ConnectionSettings {
  connect_timeout: number;
  first_byte_timeout: number;
  idle_timeout: number;
}

/** The most idle connections to one pod that are kept open. */
const mostIdle = 256;

/** The connections to one pod. The idle connection that was used last is reused first. */
export class ConnectionPool {
  /** The path of the pod's address, a prefix of all request paths. */
  readonly #basePath: string;
  /** The beginnings of requests, by path. */
  readonly #beginnings = new Map<string, string>();
  readonly #address: TcpAddress;
  readonly #connectTimeout: number;
  readonly #idle: PodConnection[] = [];
  #closed = false;

  constructor(address: string, settings: ConnectionSettings) {
    const url = new URL(address);
    this.#address = addressOf(url);
    this.#basePath = url.pathname.replace(/\/+$/, '');
    this.#connectTimeout = settings.connect_timeout;
  }

  /** The request line and the `host` header of a request to one of our endpoints. */
  beginningOf(path: string): string {
    const known = this.#beginnings.get(path);
    if (known !== undefined) return known;
    const beginning = `POST ${this.#basePath}${path} HTTP/1.1\r\nhost: ${this.#address.host}\r\n`;
    this.#beginnings.set(path, beginning);
    return beginning;
  }

  /** An idle connection, or undefined if none is fresh. */
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

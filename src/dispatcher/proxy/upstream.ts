import { Client } from 'undici';

export interface UpstreamSettings {
  connect_timeout: number;
  first_byte_timeout: number;
  idle_timeout: number;
}

/** More idle connections than this to one pod are closed. */
const mostIdle = 256;

/**
 * The connections to one pod: undici clients of one connection each, the last used first. undici's own Pool looks
 * through all of them for a free one, which thousands of streams make slow.
 */
export class Upstream {
  /** The path of the pod's address, which all requests begin with. */
  readonly basePath: string;
  readonly #origin: string;
  readonly #options: Client.Options;
  readonly #idle: Client[] = [];
  #closed = false;

  constructor(address: string, settings: UpstreamSettings) {
    const url = new URL(address);
    this.#origin = url.origin;
    this.basePath = url.pathname.replace(/\/+$/, '');
    this.#options = {
      connect: { timeout: settings.connect_timeout },
      headersTimeout: settings.first_byte_timeout,
      bodyTimeout: settings.idle_timeout,
      allowH2: false,
    };
  }

  /** A connection that has worked before, or undefined. */
  takeIdle(): Client | undefined {
    return this.#idle.pop();
  }

  open(): Client {
    return new Client(this.#origin, this.#options);
  }

  give(client: Client): void {
    if (this.#closed || this.#idle.length >= mostIdle) void client.close();
    else this.#idle.push(client);
  }

  close(): void {
    this.#closed = true;
    for (const client of this.#idle.splice(0)) void client.destroy();
  }
}

import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../contracts/clock.ts';

interface SignerDependencies {
  clock: Clock;
  /** Of the platform; all processes that share a database have the same. */
  ownKey: string | undefined;
  /** For how many milliseconds a link can be opened. */
  lifetime: number;
}

/** Signs the addresses of stored files, so that a browser, which sends no key, can open them for a while. */
export class LinkSigner {
  readonly #secret: Buffer;
  readonly #clock: Clock;
  readonly #lifetime: number;

  constructor({ clock, ownKey, lifetime }: SignerDependencies) {
    const key = ownKey ?? randomBytes(32);
    this.#secret = Buffer.from(hkdfSync('sha256', key, '', 'roundhouse document links', 32));
    this.#clock = clock;
    this.#lifetime = lifetime;
  }

  /** Addresses elsewhere stay as they are. */
  sign(uri: string): string {
    const [, path, fragment = ''] = /^(\/documents\/[^?#]+)(#.*)?$/su.exec(uri) ?? [];
    if (path === undefined) return uri;
    const expires = Math.ceil((this.#clock.now() + this.#lifetime) / 1000);
    return `${path}?expires=${expires}&signature=${this.#signature(path, expires)}${fragment}`;
  }

  /** Whether a path below `/documents` was signed here and has not expired. */
  verify(path: string, { expires, signature }: { expires?: unknown; signature?: unknown }): boolean {
    if (typeof expires !== 'string' || typeof signature !== 'string' || !/^\d{1,12}$/.test(expires))
      return false;
    if (Number(expires) * 1000 < this.#clock.now()) return false;
    const right = Buffer.from(this.#signature(path, Number(expires)));
    const given = Buffer.from(signature);
    return given.length === right.length && timingSafeEqual(given, right);
  }

  #signature(path: string, expires: number): string {
    // The decoded path: clients and proxies escape it in different ways.
    const text = `${expires}\n${decodeURIComponent(path)}`;
    return createHmac('sha256', this.#secret).update(text).digest('base64url');
  }
}

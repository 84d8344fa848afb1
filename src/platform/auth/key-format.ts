import { createHash, randomInt } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const shape = /^rh-[A-Za-z0-9]{40}$/;

/** `rh-` and 40 random characters: with 238 bits, an unsalted hash can't be brute-forced. */
export function generateKey(): string {
  return `rh-${Array.from({ length: 40 }, () => alphabet[randomInt(alphabet.length)]).join('')}`;
}

export const looksLikeKey = (text: string) => shape.test(text);

/** Only this hash of a key is stored. */
export const hashKey = (key: string) => createHash('sha256').update(key).digest('hex');

/** A short prefix, so that people can tell keys apart. */
export const prefixOf = (key: string) => (looksLikeKey(key) ? key.slice(0, 7) : '');

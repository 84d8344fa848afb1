import { createHash, randomInt } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const shape = /^rh-[A-Za-z0-9]{40}$/;

/** `rh-` and 40 random characters: 238 bits, so that a plain hash of it can't be searched. */
export function generateKey(): string {
  return `rh-${Array.from({ length: 40 }, () => alphabet[randomInt(alphabet.length)]).join('')}`;
}

export const looksLikeKey = (text: string) => shape.test(text);

/** All of a key that is ever stored. */
export const hashKey = (key: string) => createHash('sha256').update(key).digest('hex');

/** Enough of a key for people to tell two apart, and no more. */
export const prefixOf = (key: string) => (looksLikeKey(key) ? key.slice(0, 7) : '');

import { BadRequest } from '../../contracts/problems.ts';

/** Limits of file names and S3 keys in bytes of UTF-8; the key limit leaves room for a bucket prefix. */
const LONGEST_SEGMENT = 255;
const LONGEST_KEY = 900;

/** Rejects keys that a store can't hold or that would escape its folder. */
export function checkBlobKey(key: string): void {
  const reason = keyProblem(key);
  if (reason) throw new BadRequest(`${quoted(key)} can't name a stored file: ${reason}`);
}

/** Like `checkBlobKey`, but a prefix may be empty and may end anywhere, including with a slash. */
export function checkBlobPrefix(prefix: string): void {
  const reason = prefix === '' ? undefined : keyProblem(prefix.replace(/\/$/, ''));
  if (reason) throw new BadRequest(`${quoted(prefix)} can't be a prefix of a stored file's name: ${reason}`);
}

export const isBlobKey = (key: string) => keyProblem(key) === undefined;

function keyProblem(key: string): string | undefined {
  if (key === '') return 'it is empty';
  if (!key.isWellFormed()) return 'it is not valid Unicode';
  if (/\p{Cc}/u.test(key)) return 'it contains a control character';
  if (key.includes('\\')) return 'it contains a backslash';
  if (key.startsWith('/')) return 'it starts with a slash';
  if (Buffer.byteLength(key) > LONGEST_KEY) return `it is longer than ${LONGEST_KEY} bytes`;
  for (const segment of key.split('/')) {
    if (segment === '') return 'a part between slashes is empty';
    if (segment === '.' || segment === '..') return `'${segment}' is not a name`;
    if (Buffer.byteLength(segment) > LONGEST_SEGMENT) {
      return `a part between slashes is longer than ${LONGEST_SEGMENT} bytes`;
    }
  }
  return undefined;
}

function quoted(key: string): string {
  const shown = key.length > 60 ? `${key.slice(0, 60)}…` : key;
  return JSON.stringify(shown.toWellFormed());
}

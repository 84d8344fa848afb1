import { BadRequest } from '../../contracts/problems.ts';

/** What file systems allow a name, and (less room for a bucket prefix) what S3 allows a key, in bytes of UTF-8. */
const LONGEST_SEGMENT = 255;
const LONGEST_KEY = 900;

/** Refuses a key that a store could not hold, or that would leave its folder. */
export function checkBlobKey(key: string): void {
  const reason = keyProblem(key);
  if (reason) throw new BadRequest(`${quoted(key)} can't name a stored file: ${reason}`);
}

/** As for a key, but it may be empty and may end anywhere, also in a slash. */
export function checkBlobPrefix(prefix: string): void {
  const reason = prefix === '' ? undefined : keyProblem(prefix.replace(/\/$/, ''));
  if (reason) throw new BadRequest(`${quoted(prefix)} can't begin a stored file's name: ${reason}`);
}

export const isBlobKey = (key: string) => keyProblem(key) === undefined;

function keyProblem(key: string): string | undefined {
  if (key === '') return 'it is empty';
  if (!key.isWellFormed()) return 'it is not valid Unicode';
  if (/\p{Cc}/u.test(key)) return 'it holds a control character';
  if (key.includes('\\')) return 'it holds a backslash';
  if (key.startsWith('/')) return 'it begins with a slash';
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

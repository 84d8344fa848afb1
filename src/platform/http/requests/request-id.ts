import { randomBytes } from 'node:crypto';

const acceptable = /^[\w.:/+=-]{1,128}$/;

/** Random once a process, then counted: unique, and a hundred times cheaper than asking for randomness each time. */
const start = `req_${randomBytes(8).toString('hex')}`;
let count = 0;

/** The caller's own request id where it is fit to be logged and sent back, else a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  if (typeof header === 'string' && acceptable.test(header)) return header;
  count++;
  return start + count.toString(16).padStart(8, '0');
}

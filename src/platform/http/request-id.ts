import { randomBytes } from 'node:crypto';

const acceptable = /^[\w.:/+=-]{1,128}$/;

/** The caller's own request id where it is fit to be logged and sent back, else a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && acceptable.test(header)
    ? header
    : `req_${randomBytes(12).toString('hex')}`;
}

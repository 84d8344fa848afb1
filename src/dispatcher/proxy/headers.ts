import type { IncomingHttpHeaders } from 'node:http';

type Headers = Record<string, string | string[] | undefined>;

/**
 * What of a caller's headers stays here: what concerns this connection only, the caller's key, and the wish for a
 * compressed answer, which would hide the usage in it and hold its events back.
 */
const kept = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
  'x-request-timeout',
]);

const connectionHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
  'x-roundhouse-pod',
]);

/** The headers for the pod, names and values in turn. */
export function forwardedHeaders(headers: IncomingHttpHeaders, requestId: string): string[] {
  const forwarded = ['x-request-id', requestId];
  for (const name in headers) {
    if (!kept.has(name) && !name.startsWith('x-stainless-')) add(forwarded, name, headers[name]);
  }
  return forwarded;
}

/** The pod's headers for the caller, names and values in turn. */
export function answeredHeaders(headers: Headers, requestId: string, podId: string): string[] {
  const answered = ['x-request-id', requestId, 'x-roundhouse-pod', podId];
  for (const name in headers) if (!connectionHeaders.has(name)) add(answered, name, headers[name]);
  return answered;
}

function add(to: string[], name: string, value: string | string[] | undefined): void {
  if (typeof value === 'string') to.push(name, value);
  else if (value !== undefined) for (const each of value) to.push(name, each);
}

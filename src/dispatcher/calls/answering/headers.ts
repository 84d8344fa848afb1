import { type HeaderPairs, headerLines } from '../../../platform/wire/head.ts';

/**
 * Headers of a caller that are not forwarded: those of this connection, the caller's key, those with which a browser
 * describes its page, and `accept-encoding`, since usage can't be read from a compressed answer.
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
  'origin',
  'proxy-authorization',
  'proxy-connection',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
  'x-request-timeout',
]);
const trace = new Set(['traceparent', 'tracestate']);

const connectionHeaders = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
  'x-roundhouse-pod',
]);

/** The header lines for the pod. Where the request is traced here, the pod's span hangs on ours, not on the caller's. */
export function forwardedLines(
  headers: HeaderPairs,
  requestId: string,
  traced: Record<string, string> | undefined,
): string {
  let lines = `x-request-id: ${requestId}\r\n`;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    if (
      kept.has(name) ||
      name.startsWith('x-stainless-') ||
      name.startsWith('sec-') ||
      (traced && trace.has(name))
    )
      continue;
    lines += `${name}: ${headers[at + 1]}\r\n`;
  }
  return traced ? lines + headerLines(Object.entries(traced).flat()) : lines;
}

/** The pod's headers for the caller. */
export function answeredHeaders(headers: HeaderPairs, requestId: string, podId: string): string[] {
  const answered = ['x-request-id', requestId, 'x-roundhouse-pod', podId];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    if (!connectionHeaders.has(name)) answered.push(name, headers[at + 1] as string);
  }
  return answered;
}

import type { IncomingMessage } from 'node:http';

/** Headers that concern one connection only (RFC 9110, section 7.6.1). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that a `connection` header can't make hop-by-hop: dropping them would change the message's meaning. */
const alwaysForwarded = new Set(['authorization', 'content-length', 'content-type', 'cookie', 'host']);

/** Methods for which Node sends no body unless a header announces one. */
const usuallyWithoutBody = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Headers with which a browser describes the page that calls. They are checked here, against our own name. */
const ofBrowsers = [
  'origin',
  'referer',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-user',
];

interface ReplacedHeaders {
  /** Length of a body sent instead of the request's own. */
  length?: number | undefined;
  authorization?: string | undefined;
}

/** The headers of a request for the target. `host` replaces the caller's, which is kept if it is undefined. */
export function requestHeaders(
  request: IncomingMessage,
  host: string | undefined,
  { length, authorization }: ReplacedHeaders = {},
): string[] {
  const dropped = [
    'expect',
    ...(host === undefined ? [] : ['host', ...ofBrowsers]),
    ...(length === undefined ? [] : ['content-length']),
    ...(authorization === undefined ? [] : ['authorization']),
  ];
  const headers = endToEnd(request.rawHeaders, dropped);
  if (host !== undefined) headers.unshift('host', host);
  if (authorization !== undefined) headers.push('authorization', authorization);
  if (length !== undefined) headers.push('content-length', String(length));
  else if (request.headers['transfer-encoding'] !== undefined) headers.push('transfer-encoding', 'chunked');
  else if (request.headers['content-length'] === undefined && !usuallyWithoutBody.has(request.method ?? ''))
    // Otherwise Node would announce a chunked body.
    headers.push('content-length', '0');
  return headers;
}

/** The headers of the target's response for the caller. */
export function answerHeaders(answer: IncomingMessage): string[] {
  return endToEnd(answer.rawHeaders, []);
}

/** Drops hop-by-hop headers and those named in `dropped`; keeps the spelling and order of the others. */
function endToEnd(raw: readonly string[], dropped: readonly string[]): string[] {
  const named = new Set(dropped);
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]?.toLowerCase() !== 'connection') continue;
    for (const name of raw[at + 1]?.toLowerCase().split(',') ?? [])
      if (!alwaysForwarded.has(name.trim())) named.add(name.trim());
  }
  const kept: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase();
    if (!hopByHop.has(name) && !named.has(name)) kept.push(raw[at] as string, raw[at + 1] as string);
  }
  return kept;
}

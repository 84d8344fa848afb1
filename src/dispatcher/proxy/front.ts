import type { IncomingMessage, ServerResponse } from 'node:http';
import { InvalidInput, UnsupportedMediaType } from '../../contracts/problems.ts';
import { requestIdFrom } from '../../platform/http/request-id.ts';
import { readTraceContext } from '../../platform/telemetry/trace-context.ts';
import type { Span } from '../../platform/telemetry/tracing.ts';
import { acceptForm } from './accept-form.ts';
import type { ProxyCaller, ProxyContext } from './context.ts';
import { type Endpoint, endpoints } from './endpoints.ts';
import { Exchange } from './exchange.ts';
import { parseRequest } from './parse-request.ts';
import { JsonPayload } from './payload.ts';
import { readBody } from './read-body.ts';
import type { Surface } from './surface.ts';

/** Takes a request before anything else sees it; false where it is not for the proxy. */
export type Front = (request: IncomingMessage, response: ServerResponse) => boolean;

const unidentified: ProxyCaller = { id: 'unidentified' };

/** The way in for the proxied endpoints, straight from the socket: a framework's share of the work would double it. */
export function createFront(context: ProxyContext, surfaces: readonly Surface[]): Front {
  const entries = new Map<string, { surface: Surface; endpoint: Endpoint }>();
  for (const surface of surfaces) {
    for (const endpoint of endpoints) {
      entries.set(surface.prefix + endpoint.path, { surface, endpoint });
      entries.set(`${surface.prefix}${endpoint.path}/`, { surface, endpoint });
    }
  }
  return (request, response) => {
    if (request.method !== 'POST') return false;
    const url = request.url ?? '';
    const entry =
      entries.get(url) ?? (url.includes('?') ? entries.get(url.slice(0, url.indexOf('?'))) : undefined);
    if (!entry) return false;
    const id = requestIdFrom(request.headers['x-request-id']);
    serve(new Exchange(context, entry.surface, entry.endpoint, request, response, unidentified, id));
    return true;
  };
}

function serve(exchange: Exchange) {
  const { surface, request, response } = exchange;
  response.on('close', () => exchange.abandon());
  request.on('error', () => exchange.abandon());
  if (exchange.context.tracing.enabled) exchange.span = spanOf(exchange);
  try {
    const caller = surface.gate.identify(request.headers.authorization);
    if (!(caller instanceof Promise)) return accept(exchange, caller);
    caller.then((known) => accept(exchange, known)).catch((error) => exchange.crash(error));
  } catch (error) {
    exchange.crash(error);
  }
}

function spanOf({ context, endpoint, request }: Exchange): Span {
  return context.tracing.span(`POST ${endpoint.path}`, {
    kind: 'server',
    parent: readTraceContext(request.headers),
    attributes: { 'http.request.method': 'POST', 'http.route': endpoint.path },
  });
}

function accept(exchange: Exchange, caller: ProxyCaller) {
  const { context, endpoint, request } = exchange;
  exchange.caller = caller;
  exchange.limit(timeLimit(request.headers['x-request-timeout']) ?? context.settings.request_timeout);
  if (!endpoint.schema) return acceptForm(exchange);
  expectJson(request);
  readBody(
    request,
    context.settings.body_limit,
    (bytes) => sendJson(exchange, bytes),
    (problem) => exchange.refuse(problem),
  );
}

function sendJson(exchange: Exchange, bytes: Buffer): void {
  try {
    exchange.bodyRead = true;
    const parsed = parseRequest(exchange.endpoint, bytes);
    exchange.send(new JsonPayload(exchange.endpoint, parsed, bytes));
  } catch (error) {
    exchange.crash(error);
  }
}

function expectJson(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  if (
    type === 'application/json' ||
    type === undefined ||
    /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)
  ) {
    if (request.headers['content-encoding'] === undefined) return;
    throw new UnsupportedMediaType('send the request body uncompressed');
  }
  throw new UnsupportedMediaType('send the request body as application/json');
}

/** `x-request-timeout`: seconds, in milliseconds here. */
function timeLimit(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds) && seconds > 0) return Math.min(2 ** 31 - 1, Math.ceil(seconds * 1000));
  const msg = 'Input should be a number of seconds greater than 0';
  throw new InvalidInput([{ loc: ['header', 'x-request-timeout'], msg, type: 'greater_than' }]);
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { InvalidInput, UnsupportedMediaType } from '../../contracts/problems.ts';
import type { RequestSource } from '../../platform/http/foreign-requests.ts';
import { requestIdFrom } from '../../platform/http/requests/request-id.ts';
import type { Entrance } from '../../platform/metering/key-limits.ts';
import { readTraceContext } from '../../platform/telemetry/tracing/trace-context.ts';
import type { Span } from '../../platform/telemetry/tracing/tracing.ts';
import { headerOf } from '../../platform/wire/head.ts';
import type { BodyMemory } from '../wire/body-memory.ts';
import type { Call } from '../wire/call.ts';
import type { FindServer } from '../wire/lane.ts';
import { NodeCall } from '../wire/node-call.ts';
import type { ProxyCaller } from './admission/gate.ts';
import type { Surface } from './admission/surface.ts';
import type { ProxyContext } from './exchange/context.ts';
import { Exchange } from './exchange/exchange.ts';
import { acceptForm } from './forms/accept-form.ts';
import { type Endpoint, endpoints } from './reading/endpoints.ts';

/** The entry for the proxied endpoints. It bypasses the web framework, which would double the cost of a request. */
export interface Front {
  readonly bodies: BodyMemory;
  /** Serves the endpoints below the surface's prefix from now on. */
  add(surface: Surface): void;
  /** Stops serving the endpoints below a prefix. */
  remove(prefix: string): void;
  /** Takes a request before anything else does; false where it is not for the proxy. `path` overrides its target. */
  take(request: IncomingMessage, response: ServerResponse, path?: string): boolean;
  /** Takes a call to a path; false where the path is not for the proxy. */
  serve(path: string, call: Call): boolean;
  /** Finds the handler for a request that was read straight from its socket. */
  find: FindServer;
}

interface Entry {
  endpoint: Endpoint;
  serve(call: Call): void;
}

export function createFront(context: ProxyContext): Front {
  const entries = new Map<string, Entry>();
  const entryOf = (target: string) =>
    entries.get(target) ??
    (target.includes('?') ? entries.get(target.slice(0, target.indexOf('?'))) : undefined);
  return {
    bodies: context.bodies,
    add(surface) {
      for (const endpoint of endpoints) {
        const entry = { endpoint, serve: (call: Call) => serve(context, surface, endpoint, call) };
        entries.set(surface.prefix + endpoint.path, entry);
        entries.set(`${surface.prefix}${endpoint.path}/`, entry);
      }
    },
    remove(prefix) {
      for (const { path } of endpoints) {
        entries.delete(prefix + path);
        entries.delete(`${prefix}${path}/`);
      }
    },
    take(request, response, path = request.url ?? '') {
      const entry = request.method === 'POST' ? entryOf(path) : undefined;
      entry?.serve(new NodeCall(request, response));
      return entry !== undefined;
    },
    serve(path, call) {
      const entry = entryOf(path);
      entry?.serve(call);
      return entry !== undefined;
    },
    find({ target, length }) {
      const entry = entryOf(target);
      return entry?.endpoint.body === 'json' && length <= context.settings.body_limit
        ? entry.serve
        : undefined;
    },
  };
}

/** An error before there is an exchange that could answer costs the connection, not the process. */
function serve(context: ProxyContext, surface: Surface, endpoint: Endpoint, call: Call): void {
  try {
    begin(context, surface, endpoint, call);
  } catch (error) {
    context.logger.error({ err: error }, 'the proxy failed');
    call.cut();
  }
}

function begin(context: ProxyContext, surface: Surface, endpoint: Endpoint, call: Call) {
  const id = requestIdFrom(headerOf(call.headers, 'x-request-id'));
  const span = context.tracing.enabled ? spanOf(context, endpoint, call) : undefined;
  const exchange = new Exchange(context, surface, endpoint, call, id, span);
  call.owner = exchange.guarded;
  try {
    const refusal = context.refuseForeign?.(sourceOf(call));
    if (refusal) return exchange.refuse(refusal);
    const caller = surface.gate.identify(headerOf(call.headers, 'authorization'));
    if (caller instanceof Promise) acceptLater(exchange, caller);
    else accept(exchange, caller);
  } catch (error) {
    exchange.crash(error);
  }
}

const sourceOf = ({ headers }: Call): RequestSource => ({
  method: 'POST',
  host: headerOf(headers, 'host'),
  origin: headerOf(headers, 'origin'),
  fetchSite: headerOf(headers, 'sec-fetch-site'),
});

function acceptLater(exchange: Exchange, caller: Promise<ProxyCaller>): void {
  caller.then((known) => accept(exchange, known)).catch((error) => exchange.crash(error));
}

function spanOf(context: ProxyContext, endpoint: Endpoint, { headers }: Call): Span {
  return context.tracing.span(`POST ${endpoint.path}`, {
    kind: 'server',
    parent: readTraceContext({
      traceparent: headerOf(headers, 'traceparent'),
      tracestate: headerOf(headers, 'tracestate'),
    }),
    attributes: { 'http.request.method': 'POST', 'http.route': endpoint.path },
  });
}

function accept(exchange: Exchange, caller: ProxyCaller) {
  const { context, surface, call } = exchange;
  // It may have left while a worker asked who it is.
  if (exchange.ended) return;
  exchange.identified(caller);
  exchange.limit(timeLimit(headerOf(call.headers, 'x-request-timeout')) ?? context.settings.request_timeout);
  const entrance = surface.gate.begin(caller);
  if (entrance instanceof Promise) readLater(exchange, entrance);
  else read(exchange, entrance);
}

function readLater(exchange: Exchange, entrance: Promise<Entrance>): void {
  entrance.then((known) => read(exchange, known)).catch((error) => exchange.crash(error));
}

function read(exchange: Exchange, entrance: Entrance) {
  if (!exchange.begun(entrance)) return;
  const { context, endpoint, call } = exchange;
  if (call.upload && endpoint.body === 'form') return acceptForm(exchange, call.upload);
  expectJson(call);
  call.readBody(context.settings.body_limit, context.bodies);
}

function expectJson({ headers }: Call): void {
  const type = headerOf(headers, 'content-type');
  if (
    type === 'application/json' ||
    type === undefined ||
    /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)
  ) {
    if (headerOf(headers, 'content-encoding') === undefined) return;
    throw new UnsupportedMediaType('send the request body uncompressed');
  }
  throw new UnsupportedMediaType('send the request body as application/json');
}

/** `x-request-timeout`: seconds, in milliseconds here. */
function timeLimit(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds) && seconds > 0) return Math.min(2 ** 31 - 1, Math.ceil(seconds * 1000));
  const msg = 'Input should be a number of seconds greater than 0';
  throw new InvalidInput([{ loc: ['header', 'x-request-timeout'], msg, type: 'greater_than' }]);
}

import type { FastifyRequest } from 'fastify';
import { readTraceContext } from '../../telemetry/tracing/trace-context.ts';
import type { Span, Tracing } from '../../telemetry/tracing/tracing.ts';
import type { App } from '../service.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of this request. Its context is propagated to outgoing calls. */
    span: Span;
  }
}

/** Routes that monitors poll. They are never worth a line, whatever they answer. */
const polled = new Set(['/healthz', '/readyz', '/metrics']);
const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Writes a log line and a span for each request. */
export function followRequests(app: App, tracing: Tracing): void {
  app.decorateRequest('span');
  app.addHook('onRequest', async (request) => {
    request.span = tracing.span(`${request.method} ${routeOf(request)}`, {
      kind: 'server',
      parent: readTraceContext(request.headers),
      attributes: { 'http.request.method': request.method, 'http.route': routeOf(request) },
    });
  });
  app.addHook('onResponse', async (request, reply) => {
    const { statusCode: status, elapsedTime } = reply;
    request.span.set({ 'http.response.status_code': status });
    request.span.end(status >= 500 ? new Error(`status ${status}`) : undefined);
    const line = {
      method: request.method,
      path: request.url.split('?')[0],
      status,
      ms: Math.round(elapsedTime * 10) / 10,
      ...(request.caller.kind === 'key' ? { key: request.caller.id } : {}),
    };
    request.log[levelOf(request, status)](line, 'request');
  });
}

/** Reads and reports of pods repeat every few seconds for as long as somebody watches: only their failures are news. */
function levelOf(request: FastifyRequest, status: number): 'debug' | 'info' {
  const route = routeOf(request);
  if (polled.has(route)) return 'debug';
  const repeats = reads.has(request.method) || route === '/pods-info';
  return repeats && status < 400 ? 'debug' : 'info';
}

const routeOf = (request: FastifyRequest) => request.routeOptions.url?.replace(/(?<=.)\/$/, '') ?? 'none';

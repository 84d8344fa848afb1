import type { FastifyRequest } from 'fastify';
import { readTraceContext } from '../../telemetry/trace-context.ts';
import type { Span, Tracing } from '../../telemetry/tracing.ts';
import type { App } from '../service.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of this request. Its context is propagated to outgoing calls. */
    span: Span;
  }
}

/** Routes that are polled every few seconds; logged at debug level only. */
const routine = new Set(['/healthz', '/readyz', '/metrics', '/pods-info/']);

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
    request.log[routine.has(routeOf(request)) ? 'debug' : 'info'](line, 'request');
  });
}

const routeOf = (request: FastifyRequest) => request.routeOptions.url?.replace(/(?<=.)\/$/, '') ?? 'none';

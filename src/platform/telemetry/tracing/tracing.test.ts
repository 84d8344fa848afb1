import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger, silentLogger } from '../logger.ts';
import { readTraceContext, traceHeaders } from './trace-context.ts';
import { startTracing } from './tracing.ts';

interface ExportedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  status: { code: number; message?: string };
  attributes: { key: string; value: Record<string, unknown> }[];
}
interface ExportBody {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue: string } }[] };
    scopeSpans: { spans: ExportedSpan[] }[];
  }[];
}

let collector: Server;
let received: { path: string | undefined; headers: Record<string, unknown>; body: ExportBody }[];
let answer: number;

beforeEach(async () => {
  received = [];
  answer = 200;
  collector = createServer(async (request, response) => {
    received.push({ path: request.url, headers: request.headers, body: (await json(request)) as ExportBody });
    response.writeHead(answer, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => collector.close(resolve)));

const endpoint = () => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
const base = { service: 'roundhouse', version: '1.2.3', logger: silentLogger() };
const spans = () =>
  received.flatMap(({ body }) =>
    body.resourceSpans.flatMap((r) => r.scopeSpans.flatMap((scope) => scope.spans)),
  );
const incoming = readTraceContext({
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=a',
});

describe('startTracing with an endpoint', () => {
  it('sends spans to the collector under the parent that came in and under each other', async () => {
    const tracing = await startTracing({
      ...base,
      endpoint: endpoint(),
      headers: 'x-collector-key=k%20y=, other=z',
    });
    const server = tracing.span('POST /v1/chat/completions', {
      parent: incoming,
      kind: 'server',
      attributes: { 'http.response.status_code': 200, url: 'http://a:pa55@b/' },
    });
    const client = tracing.span('pod', { parent: server.context, kind: 'client' });
    client.end(new Error('refused, password=pa55'));
    server.end();
    await tracing.close();

    expect(received[0]?.path).toBe('/v1/traces');
    expect(received[0]?.headers).toMatchObject({ 'x-collector-key': 'k y=', other: 'z' });
    expect(received[0]?.body.resourceSpans[0]?.resource.attributes).toContainEqual({
      key: 'service.name',
      value: { stringValue: 'roundhouse' },
    });
    const [clientSpan, serverSpan] = spans();
    expect(serverSpan).toMatchObject({
      name: 'POST /v1/chat/completions',
      traceId: incoming?.traceId,
      parentSpanId: incoming?.spanId,
      traceState: 'vendor=a',
      kind: 2,
    });
    expect(clientSpan).toMatchObject({
      traceId: incoming?.traceId,
      parentSpanId: serverSpan?.spanId,
      kind: 3,
    });
    expect(clientSpan?.status).toMatchObject({ code: 2, message: 'refused, password=[redacted]' });
    expect(JSON.stringify(received)).not.toContain('pa55');
    expect(traceHeaders(server.context)).toEqual({
      traceparent: `00-${incoming?.traceId}-${serverSpan?.spanId}-01`,
      tracestate: 'vendor=a',
    });
  });

  it('begins a trace of its own without a parent', async () => {
    const tracing = await startTracing({ ...base, endpoint: `${endpoint()}/v1/traces` });
    const span = tracing.span('job');
    span.end();
    await tracing.close();
    expect(received[0]?.path).toBe('/v1/traces');
    expect(spans()[0]).toMatchObject({ traceId: span.context?.traceId, spanId: span.context?.spanId });
    expect(spans()[0]?.parentSpanId ?? '').toBe('');
  });

  it("follows the caller's decision not to record, and still passes the context on", async () => {
    const tracing = await startTracing({ ...base, endpoint: endpoint() });
    const parent = readTraceContext({
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
    });
    const span = tracing.span('quiet', { parent });
    span.end();
    await tracing.close();
    expect(received).toEqual([]);
    expect(span.context).toMatchObject({ traceId: parent?.traceId, flags: 0 });
  });

  it('records none of its own traces at ratio 0', async () => {
    const tracing = await startTracing({ ...base, endpoint: endpoint(), ratio: 0 });
    tracing.span('unrecorded').end();
    tracing.span('recorded', { parent: incoming }).end();
    await tracing.close();
    expect(spans().map((span) => span.name)).toEqual(['recorded']);
  });

  it('logs a collector that refuses, and goes on', async () => {
    answer = 400;
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ level: 'warn', format: 'json', name: 'test', destination });
    const tracing = await startTracing({ ...base, endpoint: endpoint(), logger });
    tracing.span('lost').end();
    await tracing.close();
    expect(lines.join()).toContain('the trace collector rejected spans');
  });
});

describe('startTracing without an endpoint', () => {
  it("passes the caller's context on untouched, and makes none up", async () => {
    const tracing = await startTracing(base);
    expect(tracing.enabled).toBe(false);
    expect(tracing.span('x', { parent: incoming }).context).toEqual(incoming);
    expect(tracing.span('x').context).toBeUndefined();
    await tracing.close();
  });
});

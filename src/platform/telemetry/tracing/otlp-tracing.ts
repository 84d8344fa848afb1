import { createTraceState, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { scrub } from '../redaction.ts';
import type { TraceContext } from './trace-context.ts';
import type { Span, SpanAttributes, Tracing, TracingOptions } from './tracing.ts';

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT };

/** Records spans and sends them in batches to an OTLP/HTTP collector. If the collector fails, it only logs a warning. */
export function startExporting(options: TracingOptions & { endpoint: string }): Tracing {
  const exporter = new OTLPTraceExporter({
    url: tracesUrl(options.endpoint),
    headers: readHeaders(options.headers),
  });
  const processor = new BatchSpanProcessor({ exporter: withFailuresLogged(exporter, options) });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.service, 'service.version': options.version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.ratio ?? 1) }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('roundhouse', options.version);

  return {
    enabled: true,
    span(name, { parent, kind = 'internal', attributes } = {}) {
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent)) : ROOT_CONTEXT;
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: safe(attributes) }, context);
      const { traceId, spanId, traceFlags, traceState } = span.spanContext();
      const state = traceState?.serialize();
      return {
        context: { traceId, spanId, flags: traceFlags, ...(state ? { state } : {}) },
        set: (more) => void span.setAttributes(safe(more)),
        end(error) {
          if (error !== undefined) {
            span.setStatus({ code: SpanStatusCode.ERROR, message: scrub(messageOf(error)) });
          }
          span.end();
        },
      } satisfies Span;
    },
    close: () => provider.shutdown(),
  };
}

function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}

function readHeaders(text = ''): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.split('='));
  return Object.fromEntries(
    pairs.flatMap(([name = '', ...value]) =>
      name.trim() ? [[name.trim(), decoded(value.join('=').trim())]] : [],
    ),
  );
}

/** OpenTelemetry percent-encodes the values; a value that is not encoded is used unchanged. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function toSpanContext({ traceId, spanId, flags, state }: TraceContext) {
  return {
    traceId,
    spanId,
    traceFlags: flags,
    isRemote: true,
    ...(state === undefined ? {} : { traceState: createTraceState(state) }),
  };
}

function safe(attributes: SpanAttributes = {}): SpanAttributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [key, typeof value === 'string' ? scrub(value) : value]),
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Logs failures here, because OpenTelemetry reports them through a process-wide logger. */
function withFailuresLogged(exporter: OTLPTraceExporter, { logger }: TracingOptions): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== 0) {
          logger.warn(
            { err: result.error, spans: spans.length },
            'the trace collector rejected spans; they were dropped',
          );
        }
        done({ code: 0 });
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

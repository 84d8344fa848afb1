import type { Logger } from './logger.ts';
import type { TraceContext } from './trace-context.ts';

export type SpanAttributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  /** What caused this span: `readTraceContext(request.headers)`, or another span's `context`. */
  parent?: TraceContext | undefined;
  kind?: 'internal' | 'server' | 'client';
  attributes?: SpanAttributes;
}

export interface Span {
  /** What `traceHeaders` puts on outgoing requests. With tracing off it is the caller's own context, untouched. */
  readonly context: TraceContext | undefined;
  set(attributes: SpanAttributes): void;
  /** Ends the span once; an error marks it failed. */
  end(error?: unknown): void;
}

export interface Tracing {
  readonly enabled: boolean;
  span(name: string, options?: SpanOptions): Span;
  /** Sends what is still waiting. */
  close(): Promise<void>;
}

export interface TracingOptions {
  /** The OTLP/HTTP collector, such as `http://collector:4318`; without it nothing is recorded. */
  endpoint?: string | undefined;
  /** Headers the collector wants, such as its key, in OpenTelemetry's own form: `key=value,key=value`. */
  headers?: string | undefined;
  /** The share of traces begun here that is recorded, 0 to 1. A caller's own decision is followed. */
  ratio?: number;
  service: string;
  version: string;
  logger: Pick<Logger, 'warn'>;
}

/** The OpenTelemetry packages are loaded only where an endpoint is configured: idle memory does not pay for them. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  if (!options.endpoint) return tracingOff;
  const { startExporting } = await import('./otlp-tracing.ts');
  return startExporting({ ...options, endpoint: options.endpoint });
}

export const tracingOff: Tracing = {
  enabled: false,
  span: (_name, options) => ({ context: options?.parent, set: () => {}, end: () => {} }),
  close: async () => {},
};

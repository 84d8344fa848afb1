import type { Logger } from '../logger.ts';
import type { TraceContext } from './trace-context.ts';

export type SpanAttributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  /** The parent span: `readTraceContext(request.headers)`, or another span's `context`. */
  parent?: TraceContext | undefined;
  kind?: 'internal' | 'server' | 'client';
  attributes?: SpanAttributes;
}

export interface Span {
  /** The context that `traceHeaders` adds to outgoing requests. With tracing off, the caller's own context. */
  readonly context: TraceContext | undefined;
  set(attributes: SpanAttributes): void;
  /** Ends the span; an error marks it as failed. */
  end(error?: unknown): void;
}

export interface Tracing {
  readonly enabled: boolean;
  span(name: string, options?: SpanOptions): Span;
  /** Sends the spans that are still buffered. */
  close(): Promise<void>;
}

export interface TracingOptions {
  /** URL of the OTLP/HTTP collector, such as `http://collector:4318`. Without it nothing is recorded. */
  endpoint?: string | undefined;
  /** Headers for the collector, such as an API key, in OpenTelemetry's format: `key=value,key=value`. */
  headers?: string | undefined;
  /** Share of new traces that is recorded, 0 to 1. A caller's own sampling decision takes precedence. */
  ratio?: number;
  service: string;
  version: string;
  logger: Pick<Logger, 'warn'>;
}

/** Loads the OpenTelemetry packages only if an endpoint is configured, to save memory otherwise. */
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

/** W3C trace context (traceparent, tracestate), read from a request and propagated to the next. */
export interface TraceContext {
  traceId: string;
  spanId: string;
  /** The flags byte; bit 0 means that the caller records this trace. */
  flags: number;
  state?: string;
}

type Headers = Record<string, string | string[] | undefined>;

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const LONGEST_STATE = 2048;

/** The caller's context. Undefined if the header is absent or malformed: the standard says to start a new trace then. */
export function readTraceContext(headers: Headers): TraceContext | undefined {
  const parent = headers.traceparent;
  if (typeof parent !== 'string') return undefined;
  const match = TRACEPARENT.exec(parent.trim());
  if (!match) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const state = readState(headers.tracestate);
  return { traceId, spanId, flags: Number.parseInt(flags, 16), ...(state === undefined ? {} : { state }) };
}

/**
 * The headers for an outgoing request; empty without a context.
 * @public
 */
export function traceHeaders(context: TraceContext | undefined): Record<string, string> {
  if (!context) return {};
  const flags = (context.flags & 0xff).toString(16).padStart(2, '0');
  const traceparent = `00-${context.traceId}-${context.spanId}-${flags}`;
  return context.state ? { traceparent, tracestate: context.state } : { traceparent };
}

function readState(header: string | string[] | undefined): string | undefined {
  const joined = (Array.isArray(header) ? header.join(',') : header)?.trim();
  if (!joined || joined.length > LONGEST_STATE || !/^[\x20-\x7e\t]+$/.test(joined)) return undefined;
  return joined;
}

import { describe, expect, it } from 'vitest';
import { readTraceContext, traceHeaders } from './trace-context.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('readTraceContext, traceHeaders', () => {
  it('pass on what came in, unchanged', () => {
    const headers = { traceparent, tracestate: 'vendor=a,other=b' };
    expect(traceHeaders(readTraceContext(headers))).toEqual(headers);
  });

  it('join a repeated tracestate', () => {
    const context = readTraceContext({ traceparent, tracestate: ['a=1', 'b=2'] });
    expect(traceHeaders(context).tracestate).toBe('a=1,b=2');
  });

  it('read a later version of the header by its first four fields', () => {
    expect(readTraceContext({ traceparent: `01${traceparent.slice(2)}-more` })).toMatchObject({ flags: 1 });
  });

  it.each([
    [undefined],
    [''],
    ['garbage'],
    [`ff${traceparent.slice(2)}`],
    [`${traceparent}-more`],
    ['00-00000000000000000000000000000000-b7ad6b7169203331-01'],
    ['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01'],
    [traceparent.toUpperCase()],
  ])('ignore a malformed traceparent: %s', (value) => {
    expect(traceHeaders(readTraceContext({ traceparent: value }))).toEqual({});
  });

  it('drop a tracestate that could not be sent on', () => {
    for (const tracestate of ['a=\x00', 'x'.repeat(5000), '']) {
      expect(traceHeaders(readTraceContext({ traceparent, tracestate }))).toEqual({ traceparent });
    }
  });
});

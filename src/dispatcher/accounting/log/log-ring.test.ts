import { expect, it } from 'vitest';
import { accessLine } from './access-line.ts';
import { type LogEntry, LogRing } from './log-ring.ts';

const entry: LogEntry = {
  time: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  requestId: 'req_1',
  path: 0,
  model: 1,
  key: 2,
  pod: 3,
  failure: -1,
  status: 200,
  milliseconds: 1.234,
  queuedMilliseconds: 0,
  firstByteMilliseconds: 0.5,
  promptTokens: 7,
  completionTokens: 11,
};
const texts = ['/v1/chat/completions', 'm"\n', 'anonymous', 'pod-1', 'client_gone'];
const quoted = (id: number) => JSON.stringify(texts[id]);

it('returns entries in order through shared memory', () => {
  const writer = new LogRing();
  const reader = new LogRing(writer.buffer);
  for (let status = 200; status < 210; status++) {
    writer.write({ ...entry, status, requestId: `req_${'x'.repeat(status - 200)}` });
  }
  expect(reader.size).toBe(10);
  for (let status = 200; status < 210; status++) {
    expect(reader.read()).toEqual({ ...entry, status, requestId: `req_${'x'.repeat(status - 200)}` });
  }
  expect(reader.size).toBe(0);
});

it('rejects entries when full, and continues after reads, wrapping around many times', () => {
  const ring = new LogRing();
  let written = 0;
  while (ring.write({ ...entry, status: written })) written++;
  expect(ring.size).toBe(written);
  for (let round = 0; round < 5 * written; round++) {
    expect(ring.read().status).toBe(round);
    expect(ring.write({ ...entry, status: written + round })).toBe(true);
    expect(ring.write(entry)).toBe(false);
  }
});

it('keeps request ids of the maximum length', () => {
  const ring = new LogRing();
  const requestId = 'a'.repeat(128);
  ring.write({ ...entry, requestId });
  expect(ring.read().requestId).toBe(requestId);
});

it('formats valid JSON whatever the names contain, and omits absent fields', () => {
  const full = JSON.parse(accessLine(entry, quoted));
  expect(full).toEqual({
    level: 'info',
    time: '2026-01-02T03:04:05.006Z',
    msg: 'proxied',
    request_id: 'req_1',
    path: '/v1/chat/completions',
    model: 'm"\n',
    key: 'anonymous',
    pod: 'pod-1',
    status: 200,
    ms: 1.23,
    queue_ms: 0,
    first_byte_ms: 0.5,
    prompt_tokens: 7,
    completion_tokens: 11,
  });
  const bare = {
    ...entry,
    pod: -1,
    firstByteMilliseconds: -1,
    promptTokens: -1,
    completionTokens: -1,
    failure: 4,
  };
  const parsed = JSON.parse(accessLine(bare, quoted));
  expect(parsed).toMatchObject({ pod: null, failure: 'client_gone' });
  expect(parsed).not.toHaveProperty('first_byte_ms');
  expect(parsed).not.toHaveProperty('prompt_tokens');
});

it.each([0, 0.004, 0.995, 1, 9.999, 10.1, 59_999.994, 123_456_789.019])(
  'logs %s ms with two decimals',
  (ms) => {
    const line = accessLine({ ...entry, milliseconds: ms }, quoted);
    expect(line).toContain(`"ms":${(Math.round(ms * 100) / 100).toFixed(2)},`);
  },
);

it.each([0, 7, 99, 999])('writes the time of every line, at %s ms of a second', (milliseconds) => {
  for (const time of [Date.UTC(2026, 0, 2, 3, 4, 5, milliseconds), Date.UTC(1999, 11, 31, 23, 59, 59, 1)]) {
    expect(JSON.parse(accessLine({ ...entry, time }, quoted)).time).toBe(new Date(time).toISOString());
  }
});

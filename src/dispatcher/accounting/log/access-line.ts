import type { LogEntry } from './log-ring.ts';

/** Formats an access log line as JSON. It contains only ids, names and numbers, so it can't leak secrets. */
export function accessLine(entry: LogEntry, textOf: (id: number) => string): string {
  const text = (id: number) => JSON.stringify(textOf(id));
  const { pod, failure, firstByteMilliseconds: firstByte, promptTokens } = entry;
  return (
    `{"level":"info","time":"${new Date(entry.time).toISOString()}","msg":"proxied"` +
    `,"request_id":"${entry.requestId}","path":${text(entry.path)},"model":${text(entry.model)}` +
    `,"key":${text(entry.key)},"pod":${pod < 0 ? 'null' : text(pod)},"status":${entry.status}` +
    `,"ms":${entry.milliseconds.toFixed(2)},"queue_ms":${entry.queuedMilliseconds.toFixed(2)}` +
    (firstByte < 0 ? '' : `,"first_byte_ms":${firstByte.toFixed(2)}`) +
    (promptTokens < 0
      ? ''
      : `,"prompt_tokens":${promptTokens},"completion_tokens":${entry.completionTokens}`) +
    (failure < 0 ? '' : `,"failure":${text(failure)}`) +
    '}\n'
  );
}

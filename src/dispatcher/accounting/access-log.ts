import { prettyLine } from '../../platform/telemetry/pretty-line.ts';
import { logFormat } from '../../platform/telemetry/start-telemetry.ts';
import type { Exchange } from '../calls/exchange.ts';

const flushAfter = 100;
const longestBatch = 65_536;

/**
 * A line for each request, put together by hand and written in batches: the general logger, which looks through every
 * line for secrets, costs as much as the whole proxy. Nothing here can be secret: ids, names, numbers.
 */
export class AccessLog {
  readonly #write: (lines: string) => void;
  #lines = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (lines: string) => void) {
    this.#write = write;
  }

  /** In the form of the rest of the log: readable where that is. */
  static to(
    out: { write(text: string): unknown; hasColors?(): boolean },
    settings: Parameters<typeof logFormat>[0],
  ): AccessLog {
    if (logFormat(settings) === 'json') return new AccessLog((lines) => out.write(lines));
    const colour = out.hasColors?.() ?? false;
    return new AccessLog((lines) => out.write(readable(lines, colour)));
  }

  observe(exchange: Exchange): void {
    const { usage, failure } = exchange;
    const total = exchange.endedAt - exchange.startedAt;
    this.#lines +=
      `{"level":"info","time":"${new Date().toISOString()}","msg":"proxied","request_id":"${exchange.requestId}"` +
      `,"path":"${exchange.endpoint.path}","model":${JSON.stringify(exchange.model.slice(0, 200))}` +
      `,"key":"${exchange.caller.id}","pod":${JSON.stringify(exchange.pod?.id ?? null)},"status":${exchange.status}` +
      `,"ms":${total.toFixed(2)},"queue_ms":${exchange.queued.toFixed(2)}` +
      (exchange.firstByteAt === 0
        ? ''
        : `,"first_byte_ms":${(exchange.firstByteAt - exchange.startedAt).toFixed(2)}`) +
      (usage ? `,"prompt_tokens":${usage.promptTokens},"completion_tokens":${usage.completionTokens}` : '') +
      (failure === '' ? '' : `,"failure":${JSON.stringify(failure)}`) +
      '}\n';
    if (this.#lines.length > longestBatch) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), flushAfter).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#lines;
    this.#lines = '';
    if (lines !== '') this.#write(lines);
  }
}

function readable(lines: string, colour: boolean): string {
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => prettyLine(JSON.parse(line), colour))
    .join('');
}

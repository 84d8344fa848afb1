import { prettyLine } from '../../platform/telemetry/pretty-line.ts';
import { logFormat } from '../../platform/telemetry/start-telemetry.ts';
import type { FinishedRequest } from '../calls/finished-request.ts';

const flushAfter = 100;
const longestBatch = 65_536;

/**
 * One line per request, built by hand and written in batches: the general logger searches every line for secrets and
 * costs as much as the whole proxy. Nothing here can be secret: ids, names, numbers.
 */
export class AccessLog {
  readonly #write: (lines: string) => void;
  #lines = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (lines: string) => void) {
    this.#write = write;
  }

  /** In the format of the rest of the log. */
  static to(
    out: { write(text: string): unknown; hasColors?(): boolean },
    settings: Parameters<typeof logFormat>[0],
  ): AccessLog {
    if (logFormat(settings) === 'json') return new AccessLog((lines) => out.write(lines));
    const colour = out.hasColors?.() ?? false;
    return new AccessLog((lines) => out.write(readable(lines, colour)));
  }

  observe(request: FinishedRequest): void {
    const { usage, failure, startedAt, firstByteAt } = request;
    const total = request.endedAt - startedAt;
    this.#lines +=
      `{"level":"info","time":"${new Date().toISOString()}","msg":"proxied","request_id":"${request.requestId}"` +
      `,"path":"${request.path}","model":${JSON.stringify(request.model.slice(0, 200))}` +
      `,"key":"${request.key}","pod":${JSON.stringify(request.pod ?? null)},"status":${request.status}` +
      `,"ms":${total.toFixed(2)},"queue_ms":${request.queued.toFixed(2)}` +
      (firstByteAt === 0 ? '' : `,"first_byte_ms":${(firstByteAt - startedAt).toFixed(2)}`) +
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

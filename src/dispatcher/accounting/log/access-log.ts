import { MessageChannel, Worker } from 'node:worker_threads';
import type { PlatformConfig } from '../../../platform/config/resolve-platform.ts';
import { logFormat } from '../../../platform/telemetry/start-telemetry.ts';
import type { FinishedRequest } from '../../calls/exchange/finished-request.ts';
import { LogRing } from './log-ring.ts';
import type { LogThreadData } from './log-thread.ts';

type LogSettings = Pick<PlatformConfig['telemetry'], 'log_format' | 'access_log'>;

/** Callers can send any model name. Beyond this many distinct texts, new ones are logged as 'other'. */
const maxTexts = 20_000;
const maxTextLength = 200;
const closeTimeout = 2000;
const none = -1;

/** Logs one line per request. A separate thread formats and writes the lines; it starts with the first request. */
export class AccessLog {
  readonly #settings: LogSettings;
  readonly #ring = new LogRing();
  readonly #texts = new Map<string, number>();
  readonly #channel = new MessageChannel();
  #thread: Worker | undefined;
  /** Number of successful requests so far. */
  #succeeded = 0;
  #closed = false;

  constructor(settings: LogSettings) {
    this.#settings = settings;
    this.#channel.port1.unref();
  }

  observe(request: FinishedRequest): void {
    if (this.#closed || !this.#isChosen(request)) return;
    this.#thread ??= this.#start();
    const { usage, failure, startedAt, firstByteAt, pod } = request;
    this.#ring.write({
      time: Date.now(),
      requestId: request.requestId,
      path: this.#numberOf(request.path),
      model: this.#numberOf(request.model),
      key: this.#numberOf(request.key),
      pod: pod === undefined ? none : this.#numberOf(pod),
      failure: failure === '' ? none : this.#numberOf(failure),
      status: request.status,
      milliseconds: request.endedAt - startedAt,
      queuedMilliseconds: request.queued,
      firstByteMilliseconds: firstByteAt === 0 ? none : firstByteAt - startedAt,
      promptTokens: usage?.promptTokens ?? none,
      completionTokens: usage?.completionTokens ?? none,
    });
  }

  /** Waits until every line is written. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#thread) this.#ring.close(closeTimeout);
    this.#channel.port1.close();
  }

  /** Failures are always logged. */
  #isChosen({ failure, status }: FinishedRequest): boolean {
    if (failure !== '' || status >= 400) return true;
    const { access_log: share } = this.#settings;
    if (share === 1) return true;
    this.#succeeded++;
    return chosenOf(this.#succeeded, share) > chosenOf(this.#succeeded - 1, share);
  }

  #numberOf(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= maxTexts && text !== 'other') return this.#numberOf('other');
    const number = this.#texts.size;
    this.#texts.set(text, number);
    this.#channel.port1.postMessage([number, text.slice(0, maxTextLength)]);
    return number;
  }

  #start(): Worker {
    const { port2 } = this.#channel;
    const data: LogThreadData = {
      ring: this.#ring.buffer,
      texts: port2,
      pretty: logFormat(this.#settings) === 'pretty',
      colour: process.stdout.isTTY === true && process.stdout.hasColors(),
    };
    const thread = new Worker(new URL('./log-thread.ts', import.meta.url), {
      workerData: data,
      transferList: [port2],
      // Lines are forgotten once written: a young generation as large as the dispatcher's would be wasted on them.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    // A failing access log must not stop the dispatcher.
    thread.on('error', () => {
      this.#closed = true;
    });
    thread.unref();
    return thread;
  }
}

/** How many of so many successful requests are logged. */
function chosenOf(count: number, share: number): number {
  return Math.floor(count * share + 1e-6);
}

import type { TokenCounts } from '../../../contracts/openai/read-usage.ts';
import type { FinishedRequest } from './finished-request.ts';

/** Who was asked, and when. */
interface Routing {
  readonly pod: string | undefined;
  readonly routedAt: number;
  readonly queued: number;
}

/** What is known of a request while it runs, for those who count it when it is over. */
export class RequestRecord {
  /** Moments, in milliseconds of `performance.now()`; 0 while they have not come. */
  readonly #startedAt = performance.now();
  #firstByteAt = 0;
  #endedAt = 0;
  /** The served name; empty until the body is understood. */
  model = '';
  failure = '';
  status = 0;
  usage: TokenCounts | undefined;

  get hasEnded(): boolean {
    return this.#endedAt !== 0;
  }

  get hasAnswer(): boolean {
    return this.#firstByteAt !== 0;
  }

  answerBegan(status: number): void {
    this.#firstByteAt = performance.now();
    this.status = status;
  }

  end(): void {
    this.#endedAt = performance.now();
  }

  /** The record for observers. */
  finished(
    requestId: string,
    path: string,
    key: string,
    { pod, routedAt, queued }: Routing,
  ): FinishedRequest {
    return Object.freeze({
      requestId,
      path,
      model: this.model,
      key,
      pod,
      status: this.status,
      failure: this.failure,
      usage: this.usage && Object.freeze(this.usage),
      startedAt: this.#startedAt,
      routedAt,
      firstByteAt: this.#firstByteAt,
      endedAt: this.#endedAt,
      queued,
    });
  }
}

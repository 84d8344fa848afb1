import type { TokenCounts } from '../../../contracts/openai/read-usage.ts';
import type { Problem } from '../../../contracts/problems.ts';
import { openaiBody } from '../../../platform/http/errors/problem-shapes.ts';
import { AnswerTail, bytesPerToken, eventsIn } from '../../../platform/inference/streams/answer-tail.ts';
import { type HeaderPairs, headerOf } from '../../../platform/wire/head.ts';
import type { Piece } from '../../../platform/wire/piece.ts';
import type { RoutedRequest } from './answered-request.ts';
import { answeredHeaders } from './headers.ts';

const noHeaders: HeaderPairs = [];

/** A pod's answer, passed on to the caller as it arrives, and counted in tokens. */
export class RelayedAnswer {
  readonly #request: RoutedRequest;
  readonly #podId: string;
  readonly #tail = new AnswerTail();
  #status = 0;
  #headers = noHeaders;
  #isEvents = false;
  /** Whether the length of the answer was announced, so that nothing can be added to it. */
  #hasLength = false;
  /** Events of the stream that were passed on. */
  #events = 0;
  /** Bytes of the body that were passed on. */
  #bytes = 0;

  constructor(request: RoutedRequest, podId: string) {
    this.#request = request;
    this.#podId = podId;
  }

  /** 0 until the pod has sent it. */
  get status(): number {
    return this.#status;
  }

  /** Keeps the head. It goes out with the first byte of the body, since until then another pod may take over. */
  hold(status: number, headers: HeaderPairs): void {
    this.#status = status;
    this.#headers = headers;
  }

  write(piece: Piece): void {
    if (!this.#request.hasBegun) this.#begin();
    this.#tail.add(piece);
    this.#bytes += piece.length;
    if (this.#isEvents) this.#events += eventsIn(piece);
    this.#request.call.write(piece);
  }

  /** Completes the answer, and returns what it has used. */
  end(): TokenCounts | undefined {
    if (!this.#request.hasBegun) this.#begin();
    this.#request.call.end();
    // The last event only marks the end of the stream.
    return this.#tail.usage() ?? this.#estimate(this.#events - 1);
  }

  /** Ends an answer that can't be completed: with an error event in a stream, by cutting the connection otherwise. */
  breakOff(problem: Problem) {
    const { call } = this.#request;
    if (call.over) return;
    if (!this.#isEvents || this.#hasLength) return call.cut();
    const separator = this.#tail.endsEvent() ? '' : '\n\n';
    call.write(Buffer.from(`${separator}event: error\ndata: ${JSON.stringify(openaiBody(problem))}\n\n`));
    call.end();
  }

  /** What the pod has used so far, for an answer that is given up. */
  usageSoFar(): TokenCounts | undefined {
    if (this.#status !== 0 && this.#status !== 200) return undefined;
    const { endpoint, payload } = this.#request;
    // The size of a recording says nothing about tokens.
    if (!payload || endpoint.task === 'tts') return undefined;
    const { promptTokens } = payload;
    // The pod has read the prompt, whether or not the answer is still wanted.
    const written = endpoint.generates ? Math.ceil(this.#bytes / bytesPerToken) : 0;
    return this.#tail.usage() ?? this.#estimate(this.#events) ?? { promptTokens, completionTokens: written };
  }

  #begin(): void {
    const request = this.#request;
    request.answerBegan(this.#status);
    this.#isEvents = headerOf(this.#headers, 'content-type')?.startsWith('text/event-stream') ?? false;
    const headers = answeredHeaders(this.#headers, request.requestId, this.#podId);
    const origin = headerOf(request.call.headers, 'origin');
    if (origin !== undefined) headers.push(...request.context.corsHeaders(origin));
    const length = headerOf(this.#headers, 'content-length');
    this.#hasLength = length !== undefined;
    request.call.begin(this.#status, headers, length === undefined ? undefined : Number(length));
  }

  /** A stream reports its usage only if the caller asked for it, but limits apply to all streams. */
  #estimate(events: number): TokenCounts | undefined {
    if (!this.#isEvents || this.#status !== 200) return undefined;
    const promptTokens = this.#request.payload?.promptTokens ?? 0;
    return { promptTokens, completionTokens: Math.max(0, events) };
  }
}

import type { TokenCounts } from '../../../contracts/openai/read-usage.ts';
import { Problem } from '../../../contracts/problems.ts';
import { anonymous, type Caller } from '../../../platform/http/access.ts';
import { openaiBody } from '../../../platform/http/errors/problem-shapes.ts';
import type { AnsweringModels, ModelAnswer } from '../../../platform/inference/answering-models.ts';
import { headerOf } from '../../../platform/wire/head.ts';
import type { AnsweredRequest } from './answered-request.ts';

/** An answer that is made in this process, by a bot, instead of by a pod. */
export class OwnAnswer {
  readonly #exchange: AnsweredRequest;
  readonly #models: AnsweringModels;
  readonly #body: Buffer;
  readonly #stop = new AbortController();
  #answer: ModelAnswer | undefined;
  #acceptedAt = 0;
  #over = false;
  #goOn = () => {};

  constructor(exchange: AnsweredRequest, models: AnsweringModels, body: Buffer) {
    this.#exchange = exchange;
    this.#models = models;
    this.#body = body;
  }

  /** When the model began to answer, in milliseconds of `performance.now()`; 0 if it did not. */
  get acceptedAt(): number {
    return this.#acceptedAt;
  }

  begin(caller: Caller = anonymous): void {
    this.#run(caller).catch((error: unknown) => this.#fail(error));
  }

  /** The answer is no longer wanted. */
  cancel(): void {
    this.#over = true;
    this.#stop.abort(new Error('the answer is no longer wanted'));
    this.#goOn();
  }

  /** A slow caller has caught up. */
  resume(): void {
    this.#goOn();
  }

  usageSoFar(): TokenCounts | undefined {
    return this.#answer?.usage();
  }

  /** Ends an answer that can't be completed: with an error event in a stream, by cutting the connection otherwise. */
  breakOff(problem: Problem) {
    const { call } = this.#exchange;
    if (call.over) return;
    if (this.#answer?.whole) return call.cut();
    call.write(Buffer.from(`event: error\ndata: ${JSON.stringify(openaiBody(problem))}\n\n`));
    call.end();
  }

  async #run(caller: Caller): Promise<void> {
    const { call, model, requestId } = this.#exchange;
    const { signal } = this.#stop;
    const answer = await this.#models.answer({ model, body: this.#body, caller, requestId, signal });
    if (this.#over) return;
    this.#answer = answer;
    this.#acceptedAt = performance.now();
    for await (const text of answer.body) {
      if (this.#over) return;
      const bytes = Buffer.from(text);
      if (!this.#exchange.hasBegun) this.#beginAnswer(answer, bytes.length);
      call.write(bytes);
      if (!call.flush()) await this.#caughtUp();
    }
    if (this.#over) return;
    this.#over = true;
    call.end();
    this.#exchange.answered(answer.usage());
  }

  #beginAnswer({ contentType, whole }: ModelAnswer, length: number): void {
    const { call, context, requestId } = this.#exchange;
    this.#exchange.answerBegan(200);
    const headers = ['x-request-id', requestId, 'content-type', contentType];
    if (!whole) headers.push('cache-control', 'no-cache');
    headers.push(...context.corsHeaders(headerOf(call.headers, 'origin')));
    call.begin(200, headers, whole ? length : undefined);
  }

  /** Waits for a slow caller, but no longer than a pod would wait for it. */
  async #caughtUp(): Promise<void> {
    const { caller_timeout } = this.#exchange.context.settings;
    const limit = caller_timeout > 0 ? setTimeout(() => this.#cutCaller(), caller_timeout) : undefined;
    await new Promise<void>((resolve) => {
      this.#goOn = resolve;
    });
    clearTimeout(limit);
  }

  #cutCaller(): void {
    this.#exchange.abandon('caller_stalled');
    this.#exchange.call.cut();
  }

  #fail(error: unknown) {
    if (this.#over) return;
    this.#over = true;
    if (!(error instanceof Problem) || !this.#exchange.hasBegun) return this.#exchange.crash(error);
    this.breakOff(error);
    this.#exchange.brokeOff(error.code);
  }
}

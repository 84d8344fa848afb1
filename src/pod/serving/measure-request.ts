import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IndexedEvent } from '../answers/run-generations.ts';
import type { FinishedRequest, PodStatistics } from './statistics.ts';

/** Measures one request. It is counted when its response has ended, whatever the outcome. */
export class RequestMeter {
  readonly #started = performance.now();
  #firstToken: number | undefined;
  #promptTokens = 0;
  #completionTokens = 0;
  #failed = false;

  constructor(statistics: PodStatistics, request: FastifyRequest, reply: FastifyReply) {
    statistics.begin();
    const payloadBytes = Number(request.headers['content-length']) || 0;
    reply.raw.once('close', () => {
      const aborted = !reply.raw.writableFinished;
      const failed = this.#failed || reply.raw.statusCode >= 400;
      const finished: FinishedRequest = {
        endpoint: request.routeOptions.url ?? '',
        outcome: aborted ? 'abort' : failed ? 'error' : 'success',
        seconds: this.#seconds(),
        payloadBytes,
        promptTokens: this.#promptTokens,
        completionTokens: this.#completionTokens,
        ...(this.#firstToken === undefined ? {} : { firstToken: this.#firstToken }),
      };
      statistics.end(finished);
    });
  }

  firstTokenSeen(): void {
    this.#firstToken ??= this.#seconds();
  }

  tokens(prompt: number, completion: number): void {
    this.#promptTokens += prompt;
    this.#completionTokens += completion;
  }

  /** Marks a response that failed after its status was sent. */
  failed(): void {
    this.#failed = true;
  }

  /** Measures a generation's events while passing them on. */
  async *watch(events: AsyncIterable<IndexedEvent>, answersPerPrompt: number): AsyncGenerator<IndexedEvent> {
    try {
      for await (const indexed of events) {
        const { event, index } = indexed;
        if (event.kind === 'text' || event.kind === 'tool-call') this.firstTokenSeen();
        if (event.kind === 'end') {
          this.tokens(
            index % answersPerPrompt === 0 ? event.usage.promptTokens : 0,
            event.usage.completionTokens,
          );
        }
        yield indexed;
      }
    } catch (error) {
      this.failed();
      throw error;
    }
  }

  #seconds(): number {
    return (performance.now() - this.#started) / 1000;
  }
}

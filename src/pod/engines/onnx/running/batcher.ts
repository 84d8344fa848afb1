import { BadRequest, Unavailable } from '../../../../contracts/problems.ts';
import type { Sequence } from '../sequence.ts';
import { type BatchLimits, type Chosen, chooseBatch, type Waiting } from './choose-batch.ts';

interface Request extends Waiting {
  rows: Float32Array[];
  missing: number;
  resolve(rows: Float32Array[]): void;
  reject(error: unknown): void;
}

export interface BatcherOptions {
  /** Runs a batch in a lane. A lane runs one batch at a time. */
  run(sequences: Sequence[], lane: number): Promise<Float32Array[]>;
  lanes?: number;
  /** Maximum number of sequences per batch. */
  maxSequences?: number;
  /** Maximum number of tokens per batch. */
  maxTokens?: number | undefined;
  /** Maximum number of waiting sequences over all requests. */
  maxWaiting?: number;
}

/** Target duration of a batch, which bounds how long an abort or another request waits. */
const batchMilliseconds = 250;
const minTokens = 512;
const maxTokens = 32_768;

/** Collects the sequences of concurrent requests into batches, one per lane at a time. */
export class Batcher {
  readonly #options: Required<BatcherOptions> & { maxTokens: number };
  #requests: Request[] = [];
  /** Number of running sequences per lane; 0 if the lane is idle. */
  readonly #running: number[];
  #tokensPerMillisecond = 16;

  constructor(options: BatcherOptions) {
    const defaults = { lanes: 1, maxSequences: 64, maxWaiting: 65_536 };
    this.#options = { ...defaults, ...options, maxTokens: options.maxTokens ?? maxTokens };
    this.#running = new Array(this.#options.lanes).fill(0);
  }

  get running(): number {
    return this.#running.reduce((sum, sequences) => sum + sequences, 0);
  }

  get waiting(): number {
    return this.#requests.reduce((sum, request) => sum + request.remaining.length, 0);
  }

  get parallel(): number {
    return this.#options.maxSequences;
  }

  /** Resolves to one row per sequence, in order. An abort removes sequences that have not started. */
  submit(sequences: Sequence[], signal: AbortSignal): Promise<Float32Array[]> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const { maxWaiting } = this.#options;
    if (sequences.length > maxWaiting) {
      return Promise.reject(
        new BadRequest(`A request may have at most ${maxWaiting} inputs.`, { param: 'input' }),
      );
    }
    if (this.waiting + sequences.length > maxWaiting) {
      return Promise.reject(
        new Unavailable('Too many inputs are already waiting. Try again later.', { retryAfter: 1 }),
      );
    }
    if (sequences.length === 0) return Promise.resolve([]);
    return new Promise<Float32Array[]>((resolve, reject) => {
      const withdraw = () => {
        this.#requests = this.#requests.filter((other) => other !== request);
        reject(signal.reason);
      };
      const settle = <Value>(finish: (value: Value) => void) => {
        return (value: Value) => {
          signal.removeEventListener('abort', withdraw);
          finish(value);
        };
      };
      const request: Request = {
        remaining: sequences
          .map((sequence, index) => ({ sequence, index }))
          .sort((a, b) => b.sequence.ids.length - a.sequence.ids.length),
        rows: new Array(sequences.length),
        missing: sequences.length,
        resolve: settle(resolve),
        reject: settle(reject),
      };
      signal.addEventListener('abort', withdraw, { once: true });
      this.#requests.push(request);
      this.#next();
    });
  }

  #next(): void {
    for (const [lane, running] of this.#running.entries()) {
      if (running > 0) continue;
      const batch = chooseBatch(this.#requests, this.#limits());
      if (batch.length === 0) return;
      const [first, ...others] = this.#requests as [Request, ...Request[]];
      this.#requests = [...others, first].filter((request) => request.remaining.length > 0);
      this.#start(batch, lane);
    }
  }

  #start(batch: Chosen<Request>[], lane: number): void {
    this.#running[lane] = batch.length;
    const sequences = batch.map(({ sequence }) => sequence);
    const started = performance.now();
    const done = () => {
      this.#running[lane] = 0;
      this.#next();
    };
    this.#options.run(sequences, lane).then(
      (rows) => {
        this.#measure(sequences, performance.now() - started);
        for (const [position, { request, index }] of batch.entries()) {
          request.rows[index] = rows[position] as Float32Array;
          request.missing -= 1;
          if (request.missing === 0) request.resolve(request.rows);
        }
        done();
      },
      (error) => {
        const failed = new Set(batch.map(({ request }) => request));
        this.#requests = this.#requests.filter((request) => !failed.has(request));
        for (const request of failed) request.reject(error);
        done();
      },
    );
  }

  #limits(): BatchLimits {
    const tokens = this.#tokensPerMillisecond * batchMilliseconds;
    const idle = this.#running.filter((running) => running === 0).length;
    return {
      // Waiting sequences are divided among the idle lanes.
      sequences: Math.min(this.#options.maxSequences, Math.ceil(this.waiting / idle)),
      tokens: Math.min(this.#options.maxTokens, Math.max(minTokens, tokens)),
    };
  }

  #measure(sequences: Sequence[], milliseconds: number): void {
    const longest = Math.max(...sequences.map(({ ids }) => ids.length));
    const rate = (longest * sequences.length) / Math.max(milliseconds, 0.1);
    this.#tokensPerMillisecond += 0.2 * (rate - this.#tokensPerMillisecond);
  }
}

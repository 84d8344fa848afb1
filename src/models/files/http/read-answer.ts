import { DeadlineExceeded, Problem, Unavailable } from '../../../contracts/problems.ts';
import { Refused } from './answer-problem.ts';
import { abandon } from './close-answer.ts';
import type { HttpAnswer } from './open-address.ts';

/** What a server may take of our memory and time for one answer that describes files. */
export interface MetadataLimits {
  bytes: number;
  /** Milliseconds from the request to the last byte. */
  time: number;
}

/** A hub lists 20,000 files in about 5 MB. */
export const usualLimits: MetadataLimits = { bytes: 16 * 2 ** 20, time: 60_000 };

/** Runs a request including the reading of its answer; a server that sends a byte now and then does not prolong it. */
export async function withinTime<Result>(
  { time }: MetadataLimits,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), time);
  try {
    return await ask(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    signal.throwIfAborted();
    if (!late.signal.aborted) throw error;
    throw new DeadlineExceeded(`a server did not complete its answer within ${time / 1000} s`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** The whole body as text, up to the limit. */
export async function readText(
  answer: HttpAnswer,
  { bytes: most }: MetadataLimits,
  signal: AbortSignal,
): Promise<string> {
  const { host } = new URL(answer.url);
  const stop = () => abandon(answer);
  signal.addEventListener('abort', stop, { once: true });
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    signal.throwIfAborted();
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > most) {
        throw new Refused(`${host} answered with more than ${most} bytes where a description was expected`);
      }
      chunks.push(chunk);
    }
    signal.throwIfAborted();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Problem) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Unavailable(`the connection to ${host} was cut (${code ?? message})`, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
    abandon(answer);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}

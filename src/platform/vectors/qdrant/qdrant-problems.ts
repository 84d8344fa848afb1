import {
  Conflict,
  InternalFault,
  OutOfSpace,
  type Problem,
  Unavailable,
} from '../../../contracts/problems.ts';

const FULL = /no space left|disk.{0,20}full|out of disk/i;

/** What an answer of the server means to callers. The server's own words are kept as the cause, for the log. */
export function qdrantProblem(status: number, words: string): Problem {
  const cause = new Error(`Qdrant answered ${status}: ${words}`);
  if (status === 401 || status === 403)
    return new InternalFault('The vector store (Qdrant) refuses access: check vectors.api_key', { cause });
  if (status === 409) return new Conflict('The vector store (Qdrant) already has this collection', { cause });
  if (FULL.test(words)) return new OutOfSpace('The vector store (Qdrant) is full', { cause });
  if (status === 408 || status === 429 || status >= 500)
    return new Unavailable('The vector store (Qdrant) is overloaded or failing', { cause, retryAfter: 5 });
  return new InternalFault('The vector store (Qdrant) rejected the call', { cause });
}

export function qdrantSilent(cause: unknown): Unavailable {
  return new Unavailable('The vector store (Qdrant) does not answer', { cause, retryAfter: 5 });
}

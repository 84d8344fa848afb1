import type { Sequence } from '../sequence.ts';

/** A request's waiting sequences, longest first. */
export interface Waiting {
  remaining: { sequence: Sequence; index: number }[];
}

export interface BatchLimits {
  /** Maximum number of sequences per batch. */
  sequences: number;
  /** Maximum number of tokens per batch, including padding; a single sequence may exceed it. */
  tokens: number;
}

export interface Chosen<Request extends Waiting> {
  request: Request;
  index: number;
  sequence: Sequence;
}

/**
 * Removes the next batch from the waiting sequences. It starts with the longest sequence of the first request. Each
 * request in turn then adds one that is no longer and at least half as long, because padding costs time too. The
 * caller rotates the requests, so each comes first in turn and waits for at most one batch per other request.
 */
export function chooseBatch<Request extends Waiting>(
  requests: Request[],
  limits: BatchLimits,
): Chosen<Request>[] {
  const lead = requests[0]?.remaining[0]?.sequence.ids.length;
  if (lead === undefined) return [];
  const room = Math.max(1, Math.min(limits.sequences, Math.floor(limits.tokens / lead)));
  const batch: Chosen<Request>[] = [];
  let open = requests;
  while (open.length > 0 && batch.length < room) {
    open = open.filter((request) => {
      if (batch.length >= room) return false;
      const at = request.remaining.findIndex(({ sequence }) => sequence.ids.length <= lead);
      const found = request.remaining[at];
      if (found === undefined || found.sequence.ids.length * 2 < lead) return false;
      request.remaining.splice(at, 1);
      batch.push({ request, ...found });
      return true;
    });
  }
  return batch;
}

import type { Sequence } from '../sequence.ts';

/** A request's sequences that wait, longest first. */
export interface Waiting {
  remaining: { sequence: Sequence; index: number }[];
}

export interface BatchLimits {
  /** Sequences in one batch. */
  sequences: number;
  /** Tokens in one batch, padding included; a single sequence may have more. */
  tokens: number;
}

export interface Chosen<Request extends Waiting> {
  request: Request;
  index: number;
  sequence: Sequence;
}

/**
 * Takes the next batch out of what waits. The first request's longest sequence leads; then each request in turn
 * gives one that is no longer and at most half shorter (padding is work too). The caller rotates the requests, so
 * each leads in its turn and none waits for more than one batch of each other.
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

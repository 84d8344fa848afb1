import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../contracts/actor.ts';

/** The actor of a request, as verbs that change something expect it. */
export function actorOf({ caller, id: requestId }: Pick<FastifyRequest, 'caller' | 'id'>): Actor {
  if (caller.kind === 'anonymous') return { kind: 'anonymous', requestId };
  const { id, name, owner } = caller;
  return { kind: 'key', id, name, owner, requestId };
}

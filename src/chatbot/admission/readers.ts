import type { FastifyRequest } from 'fastify';
import { type AccessRules, admit, type Caller, keyIn } from '../../platform/http/access.ts';
import { botPrefix } from '../../platform/inference/answering-models.ts';
import { requireModel } from '../../platform/metering/allowed-models.ts';
import type { PublicBots } from './public-bots.ts';

interface ReaderRules {
  access: AccessRules;
  publicBots: PublicBots;
}

const reading = { scope: 'index:read', openable: false } as const;

/** Who may ask a bot and read its documents: holders of a key that can read, and everybody where the bot is public. */
export class Readers {
  readonly #rules: ReaderRules;

  constructor(rules: ReaderRules) {
    this.#rules = rules;
  }

  /** The caller, or the refusal. Callers of public bots without a key are limited by their address. */
  admit(request: FastifyRequest, bot?: string, options: { counted?: boolean } = {}): Caller {
    const { authorization } = request.headers;
    const { access, publicBots } = this.#rules;
    if (bot === undefined) return admit(reading, authorization, access);
    if (!publicBots.has(bot)) {
      const caller = admit(reading, authorization, access);
      requireModel(caller, botPrefix + bot);
      return caller;
    }
    const caller = this.#anybody(request);
    if (caller.kind === 'anonymous' && options.counted !== false) publicBots.enter(request.ip);
    return caller;
  }

  /** The caller of a surface with all bots, who sees only those that are his: without a key, the public ones. */
  admitToAll(request: FastifyRequest): Caller {
    const { access, publicBots } = this.#rules;
    return publicBots.any ? this.#anybody(request) : admit(reading, request.headers.authorization, access);
  }

  #anybody({ caller, headers: { authorization } }: FastifyRequest): Caller {
    if (caller.kind === 'key' || keyIn(authorization) === undefined) return caller;
    // A key that does not work is said so, instead of quietly counting as none.
    return admit(reading, authorization, this.#rules.access);
  }

  /** Admits callers of a route with `bot_id` in its path before anything of their request is read. */
  readonly onRequest = async (request: FastifyRequest): Promise<void> => {
    const { bot_id } = request.params as { bot_id: string };
    this.admit(request, bot_id, { counted: request.method !== 'GET' && request.method !== 'HEAD' });
  };
}

import type { FastifyRequest } from 'fastify';
import { type AccessRules, admit, type Caller, keyIn } from '../../platform/http/access.ts';
import { botPrefix } from '../../platform/inference/answering-models.ts';
import { requireModel } from '../../platform/metering/allowed-models.ts';
import type { AddressLimits } from './address-limits.ts';

interface ReaderRules {
  access: AccessRules;
  /** Bot ids, or `*`. */
  public: readonly string[];
  addresses: AddressLimits;
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
    const { access, addresses } = this.#rules;
    if (bot === undefined) return admit(reading, authorization, access);
    if (!this.isPublic(bot)) {
      const caller = admit(reading, authorization, access);
      requireModel(caller, botPrefix + bot);
      return caller;
    }
    const holder = request.caller;
    if (holder.kind === 'key') return holder;
    // A key that does not work is said so, instead of quietly counting as none.
    if (keyIn(authorization) !== undefined) return admit(reading, authorization, access);
    if (options.counted !== false) addresses.enter(request.ip);
    return holder;
  }

  /** Admits callers of a route with `bot_id` in its path before anything of their request is read. */
  readonly onRequest = async (request: FastifyRequest): Promise<void> => {
    const { bot_id } = request.params as { bot_id: string };
    this.admit(request, bot_id, { counted: request.method !== 'GET' && request.method !== 'HEAD' });
  };

  isPublic(bot: string): boolean {
    const { public: bots } = this.#rules;
    return bots.includes('*') || bots.includes(bot);
  }
}

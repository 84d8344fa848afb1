import { Forbidden, NotFound, Unauthenticated } from '../../contracts/problems.ts';
import { allows, type Caller } from '../../platform/http/access.ts';
import { botPrefix } from '../../platform/inference/answering-models.ts';
import { mayUseModel } from '../../platform/metering/allowed-models.ts';
import type { PublicBots } from './public-bots.ts';

/** Whether a caller may use bots that are not public. Open mode does not open them. */
const isReader = (caller: Caller): boolean => caller.kind === 'key' && allows(caller.scopes, 'index:read');

/** Whether a caller may use this bot: a key that is limited to some models sees only the bots among them. */
export const mayReadBot = (publicBots: Pick<PublicBots, 'has'>, caller: Caller, bot: string): boolean =>
  (isReader(caller) || publicBots.has(bot)) && mayUseModel(caller, botPrefix + bot);

/** Throws the refusal for callers that may not use a bot, whether it exists or not. */
export function requireReader(publicBots: Pick<PublicBots, 'has'>, caller: Caller, bot: string): void {
  if (isReader(caller) || publicBots.has(bot)) return;
  if (caller.kind === 'key')
    throw new Forbidden("this key does not have the scope 'index:read', which bots need");
  throw new Unauthenticated(
    'bots need a key with the scope index:read: send it as "Authorization: Bearer <key>"',
    {
      headers: { 'www-authenticate': 'Bearer' },
    },
  );
}

export const unknownBot = (bot: string) =>
  new NotFound('model', botPrefix + bot.slice(0, 100), { code: 'model_not_found', param: 'model' });

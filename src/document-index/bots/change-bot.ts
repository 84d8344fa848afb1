import type { Actor } from '../../contracts/actor.ts';
import type { BotChange, BotRecord } from '../../contracts/document-index/bots.ts';
import { Unprocessable } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import { toJson } from '../../platform/database/json-column.ts';
import { sanitizeHtml } from '../greeting/sanitize-html.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { lockBot, updateBot } from '../records/bots-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { listSources } from '../records/sources-store.ts';
import type { BotRow } from '../tables.ts';
import { putBotInfo } from './bots-info.ts';
import { readBot } from './read-bots.ts';

/** Changes the given settings of a bot, whatever its commands are doing. */
export async function changeBot(
  deps: IndexDependencies,
  actor: Actor,
  { bot, change }: { bot: string; change: BotChange },
): Promise<BotRecord> {
  const { database, clock } = deps;
  await database.transaction(async (session) => {
    await lockBot(session, bot);
    await requireBot(session, bot);
    const { sync_every: every, ...settings } = change;
    const now = clock.now();
    await updateBot(session, bot, { ...columnsOf(settings), changed_at: now });
    if (every !== undefined) {
      if (every !== null && (await listSources(session, bot)).length === 0) {
        throw new Unprocessable(`bot '${bot}' has no sources to sync with`);
      }
      const sync_due_at = every === null ? null : now + 1_000 * every;
      await updateBot(session, bot, { sync_every: every, sync_due_at });
    }
    await recordAction({ session, clock }, actor, {
      action: 'bot.change',
      subject: bot,
      details: { ...change },
    });
  });
  await putBotInfo(deps, bot);
  return (await readBot(deps, bot)).record;
}

function columnsOf({
  hello_text,
  example_questions,
  ...others
}: Omit<BotChange, 'sync_every'>): Partial<BotRow> {
  const columns: Partial<BotRow> = {
    ...(hello_text === undefined ? {} : { hello_text: sanitizeHtml(hello_text) }),
    ...(example_questions === undefined ? {} : { example_questions_json: toJson(example_questions) }),
  };
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined) Object.assign(columns, { [name]: value });
  }
  return columns;
}

import type { Database } from '../../../platform/database/database.ts';
import { fromJson, toJson } from '../../../platform/database/json-column.ts';
import { changeBot, findBot, lockBot } from '../versions/versions-store.ts';
import { goingPhrases } from './outline-store.ts';
import { withoutPhrases } from './without-phrases.ts';

/** Takes the titles and headings of versions that are being removed out of the bot's greeting and example questions. */
export async function forgetPhrases(database: Database, bot: string, ids: readonly number[]): Promise<void> {
  const phrases = await goingPhrases(database, bot, ids);
  if (phrases.size === 0 || !(await findBot(database, bot))) return;
  await database.transaction(async (session) => {
    const { hello_text, example_questions_json } = await lockBot(session, bot);
    const before = { greeting: hello_text, questions: fromJson<string[]>(example_questions_json) };
    const { greeting, questions } = withoutPhrases(before, phrases);
    if (greeting === hello_text && questions.length === before.questions.length) return;
    await changeBot(session, bot, { hello_text: greeting, example_questions_json: toJson(questions) });
  });
}

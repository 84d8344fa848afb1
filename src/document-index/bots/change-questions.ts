import type { Actor } from '../../contracts/actor.ts';
import type { RegressionQuestions } from '../../contracts/document-index/bots.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { lockBot } from '../records/bots-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { listQuestions, replaceQuestions } from '../records/questions-store.ts';

/** Throws `NotFound` if there is no such bot. */
export async function readQuestions(
  { database }: Pick<IndexDependencies, 'database'>,
  bot: string,
): Promise<RegressionQuestions> {
  await requireBot(database, bot);
  return { questions: await listQuestions(database, bot) };
}

/** Replaces the questions that are put to the bot after every change. */
export async function changeQuestions(
  { database, clock }: Pick<IndexDependencies, 'database' | 'clock'>,
  actor: Actor,
  { bot, questions }: { bot: string; questions: RegressionQuestions['questions'] },
): Promise<RegressionQuestions> {
  return database.transaction(async (session) => {
    await lockBot(session, bot);
    await requireBot(session, bot);
    await replaceQuestions(session, bot, questions, clock.now());
    await recordAction({ session, clock }, actor, {
      action: 'bot.questions',
      subject: bot,
      details: { questions: questions.length },
    });
    return { questions: await listQuestions(session, bot) };
  });
}

import type { Database } from '../../platform/database/database.ts';
import { fromJson, toJson } from '../../platform/database/json-column.ts';
import type { Inference } from '../../platform/inference/inference.ts';
import { type LanguageProbe, languageNotes } from './embedding/language-probe.ts';
import type { BotOutline } from './profile/bot-outline.ts';
import { makeExampleQuestions } from './profile/example-questions.ts';
import { makeGreeting } from './profile/greeting.ts';
import { readOutline } from './profile/outline-store.ts';
import { changeBot, findBot, lockBot } from './versions/versions-store.ts';

interface DescribingDependencies {
  database: Database;
  inference: Pick<Inference, 'ask'>;
  /** The name of a chat model that follows instructions; null where none is served. */
  chatModel(signal: AbortSignal): Promise<string | null>;
  probe: Pick<LanguageProbe, 'knownLanguages'>;
}

/**
 * Gives a bot a greeting and example questions, once it has documents, and notes for its operator. What an operator has
 * set stays.
 */
export async function describeBot(
  { database, inference, chatModel, probe }: DescribingDependencies,
  { bot: id, signal }: { bot: string; signal: AbortSignal },
): Promise<void> {
  const bot = await findBot(database, id);
  if (!bot) return;
  const outline = await readOutline(database, id, bot.user_story);
  await changeBot(database, id, { notes_json: toJson(await notesOf(probe, bot.embeddings_model, outline)) });
  if (outline.documents.length === 0 || isDescribed(bot)) return;
  const model = await chatModel(signal);
  const asking = model === null ? undefined : { inference, model };
  const questions = hasQuestions(bot) ? [] : await makeExampleQuestions(asking, outline, signal);
  const greeting = bot.hello_text === '' ? await makeGreeting(asking, outline, signal) : '';
  await database.transaction(async (session) => {
    const latest = await lockBot(session, id);
    if (!hasQuestions(latest)) await changeBot(session, id, { example_questions_json: toJson(questions) });
    if (latest.hello_text === '') await changeBot(session, id, { hello_text: greeting });
  });
}

/** A model that can't be probed now says nothing about itself. */
async function notesOf(
  probe: Pick<LanguageProbe, 'knownLanguages'>,
  model: string | null,
  { languages }: Pick<BotOutline, 'languages'>,
): Promise<string[]> {
  if (model === null) return [];
  const known = await probe.knownLanguages(model).catch(() => new Map<string, number>());
  return languageNotes(model, known, languages);
}

type Described = { hello_text: string; example_questions_json: string };
const hasQuestions = ({ example_questions_json }: Described) =>
  fromJson<string[]>(example_questions_json).length > 0;
const isDescribed = (bot: Described) => bot.hello_text !== '' && hasQuestions(bot);

import type { Session } from '../../../platform/database/database.ts';
import { fromJson } from '../../../platform/database/json-column.ts';
import type { BotOutline } from './bot-outline.ts';
import { isWrittenIn } from './example-questions.ts';
import { tidyHeading } from './tidy-heading.ts';

const isPlainly = (language: string, text: string) =>
  (language === 'rus' || language === 'eng') && isWrittenIn(text, language);
const documentsRead = 30;
const chunksRead = 60;

/** Reads titles and headings of a bot's documents, from the beginnings of the first ones. */
export async function readOutline(session: Session, bot: string, userStory: string): Promise<BotOutline> {
  const versions = await session.query
    .selectFrom('bot_documents')
    .select(['id', 'title', 'name', 'languages_json'])
    .where('bot', '=', bot)
    .where('state', 'in', ['built', 'active'])
    .orderBy('id')
    .execute();
  const documents: BotOutline['documents'] = [];
  for (const { id, title, name, languages_json } of versions.slice(0, documentsRead)) {
    const [language] = fromJson<string[]>(languages_json);
    documents.push({ title: title ?? name, headings: await headingsOf(session, id), language });
  }
  const languages = new Map<string, number>();
  for (const { languages_json } of versions) {
    // The first is the language of most of the document.
    const [first] = fromJson<string[]>(languages_json);
    if (first !== undefined) languages.set(first, (languages.get(first) ?? 0) + 1);
  }
  const ranked = [...languages].sort(([, a], [, b]) => b - a).map(([language]) => language);
  return {
    userStory,
    // The operator writes in the language of the readers.
    language: ranked.find((language) => isPlainly(language, userStory)) ?? ranked[0] ?? 'eng',
    languages: ranked,
    documents,
    count: versions.length,
  };
}

async function headingsOf(session: Session, version: number): Promise<string[]> {
  const chunks = await session.query
    .selectFrom('bot_chunks')
    .select('headings_json')
    .where('document', '=', version)
    .where('position', '<', chunksRead)
    .orderBy('position')
    .execute();
  return [...new Set(chunks.flatMap(({ headings_json }) => fromJson<string[]>(headings_json)))];
}

/** Titles and headings of these versions of a bot that its other documents don't have. */
export async function goingPhrases(
  session: Session,
  bot: string,
  ids: readonly number[],
): Promise<Set<string>> {
  const versions = await session.query
    .selectFrom('bot_documents')
    .select(['id', 'title', 'name', 'state'])
    .where('bot', '=', bot)
    .execute();
  const going = new Set(ids);
  const phrases = new Set<string>();
  for (const { id, title, name } of versions.filter(({ id }) => going.has(id))) {
    phrases.add(title ?? name);
    for (const heading of await headingsOf(session, id)) phrases.add(tidyHeading(heading) ?? heading);
  }
  const staying = versions.filter(({ id, state }) => !going.has(id) && state === 'active');
  for (const { title, name } of staying) phrases.delete(title ?? name);
  for (const { id } of staying.slice(0, documentsRead)) {
    for (const heading of await headingsOf(session, id)) phrases.delete(tidyHeading(heading) ?? heading);
  }
  return phrases;
}

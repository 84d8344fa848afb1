import type { AnswerInput } from '../../contracts/answering.ts';
import type { Passage } from '../../contracts/retrieval.ts';
import { isNumeric, termsOf } from '../citing/terms.ts';
import type { ModelCall } from '../models/model-call.ts';

type History = NonNullable<AnswerInput['history']>;

const instruction =
  'Rewrite the last question of the conversation so that it can be understood without the conversation: replace pronouns and add what it leaves out. Keep its language and its meaning. Reply with the question alone.';
const lastTurns = 6;
const longestTurn = 1_500;
const longestQuestion = 500;

/** Rewrites a follow-up question to stand alone: by the model where there is one, else by adding words of earlier turns. */
export async function standAlone(question: string, history: History, call?: ModelCall): Promise<string> {
  if (history.length === 0) return question;
  const byRule = withEarlierTerms(question, history);
  if (!call || question.length > longestQuestion) return byRule;
  const turns = history
    .slice(-lastTurns)
    .map(({ role, content }) => `${role}: ${content.slice(0, longestTurn)}`);
  const rewritten = await call.ask(
    [
      { role: 'system', content: instruction },
      { role: 'user', content: `${turns.join('\n')}\n\nLast question: ${question}` },
    ],
    120,
  );
  return accepted(rewritten, question) ?? byRule;
}

/** The model's question, unless it is no question: empty, too long, or about something else. */
function accepted(rewritten: string | undefined, question: string): string | undefined {
  const line =
    rewritten
      ?.trim()
      .split('\n')[0]
      ?.replace(/^["«“]|["»”]$/gu, '')
      .trim() ?? '';
  if (line === '' || line.length > longestQuestion + question.length) return undefined;
  const kept = new Set(termsOf(line));
  const asked = termsOf(question);
  return asked.length === 0 || asked.some((term) => kept.has(term)) ? line : undefined;
}

const continues = /^(?:and|but|so|what about|how about|why|а|и|но|а если|ещё|еще|почему|зачем)(?!\p{L})/iu;
const pointsBack =
  /(?<!\p{L})(?:it|its|this|that|these|those|they|them|their|he|she|him|her|his|there|then|same|он|она|оно|они|его|ему|им|их|ее|её|ей|ней|нём|нем|них|это|этот|эта|эти|этого|этой|этих|этому|этим|там|тогда|такой|такие|тот|та|те)(?!\p{L})/iu;
const shortQuestion = 3;
const addedTerms = 8;

/** Whether a question refers to earlier turns by its words. */
export const leansOnEarlier = (question: string): boolean =>
  continues.test(question.trim()) || pointsBack.test(question);

/** Adds the meaningful words of the last turns to a question that is short or points back. */
export function withEarlierTerms(question: string, history: History): string {
  const own = new Set(termsOf(question));
  if (own.size > shortQuestion && !leansOnEarlier(question)) return question;
  const added: string[] = [];
  const asked = history.findLast(({ role }) => role === 'user')?.content ?? '';
  const said = history.findLast(({ role }) => role === 'assistant')?.content ?? '';
  // Words as they were written: a search shortens them itself.
  const answered = wordsOf(said.replaceAll(/\[\d+\]/g, '')).filter((word) => !isNumeric(word));
  for (const word of [...wordsOf(asked), ...answered.slice(0, 12)]) {
    const [term] = termsOf(word);
    if (term === undefined || own.has(term)) continue;
    own.add(term);
    if (added.push(word) === addedTerms) break;
  }
  return added.length === 0 ? question : `${question} (${added.join(' ')})`;
}

/**
 * Whether passages that were found with the words of earlier turns have nothing of the question itself. A question that
 * points back, as in "Who approves it?", needs those words in any case.
 */
export function changesSubject(question: string, passages: readonly Passage[]): boolean {
  const own = new Set(termsOf(question));
  if (own.size === 0 || pointsBack.test(question)) return false;
  return !passages.some(({ text, headings, document }) =>
    termsOf([document.title, ...headings, text].join('\n')).some((term) => own.has(term)),
  );
}

const wordsOf = (text: string) => text.slice(0, 2_000).match(/[\p{L}\p{N}][\p{L}\p{N}\-./]*/gu) ?? [];

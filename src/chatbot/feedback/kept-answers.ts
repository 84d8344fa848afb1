import { randomUUID } from 'node:crypto';
import type { AnswerInput } from '../../contracts/answering.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { Answer } from '../../contracts/document-index/questions.ts';
import type { Passage } from '../../contracts/retrieval.ts';
import type { Database } from '../../platform/database/database.ts';
import { toJson } from '../../platform/database/json-column.ts';
import { insertAnswer, pruneUnrated } from './answers-store.ts';
import { forgetAnswers } from './forget-answers.ts';

interface KeptDependencies {
  database: Database;
  clock: Clock;
  /** For how many milliseconds an answer can be rated. */
  rateWithin: number;
}

/** An answer in the making. It learns what is deleted meanwhile. */
interface Ticket {
  readonly bot: string;
  readonly forgotten: Set<string>;
}

export interface KeptAnswer {
  input: AnswerInput;
  answer: Answer;
  passages: readonly Passage[];
  /** Whether a model wrote it, who may have repeated earlier turns of the conversation. */
  isWritten: boolean;
}

const mostUnrated = 1_000;
const longestPassages = 200_000;
const longestQuestion = 8_000;
const mostEarlier = 20;

/** Answers that can be rated. They hold text of documents, so that they go when a document goes. */
export class KeptAnswers {
  readonly #deps: KeptDependencies;
  readonly #open = new Set<Ticket>();

  constructor(deps: KeptDependencies) {
    this.#deps = deps;
  }

  /** Announces an answer, so that documents that are deleted before it is kept are noticed. */
  begin(bot: string): Ticket {
    const ticket = { bot, forgotten: new Set<string>() };
    this.#open.add(ticket);
    return ticket;
  }

  end(ticket: Ticket): void {
    this.#open.delete(ticket);
  }

  /** Keeps an answer, and returns the id for its feedback; undefined if its text has been deleted meanwhile. */
  async keep(
    ticket: Ticket,
    { input, answer, passages, isWritten }: KeptAnswer,
  ): Promise<string | undefined> {
    const { database, clock, rateWithin } = this.#deps;
    const { bot, forgotten } = ticket;
    const names = new Map(passages.map(({ document }) => [document.uri, document.name]));
    const documents = new Set(passages.map(({ document }) => document.name));
    const turns = input.history ?? [];
    // What a model repeats of an earlier answer may come from any document.
    if (isWritten && turns.some(({ role }) => role === 'assistant')) documents.add('*');
    const row = {
      id: randomUUID(),
      bot,
      // PostgreSQL stores no null characters.
      question: input.question.slice(0, longestQuestion).replaceAll('\0', ' '),
      earlier_json: toJson(earlierQuestions(turns)),
      answer: answer.answer,
      documents_json: toJson(
        answer.documents.map((it) => ({
          document: names.get(it.uri) ?? names.get(it.uri.replace(/#.*$/s, '')) ?? it.title,
          ...it,
        })),
      ),
      passages_json: toJson(shortened(passages)),
      created_at: clock.now(),
      rating: null,
      comment: null,
      rated_at: null,
    };
    return database.transaction(async (session) => {
      if (forgotten.has('*') || [...documents].some((name) => forgotten.has(name))) return undefined;
      if (documents.has('*') && forgotten.size > 0) return undefined;
      await pruneUnrated(session, { bot, before: row.created_at - rateWithin, most: mostUnrated });
      await insertAnswer(session, row, [...documents]);
      return row.id;
    });
  }

  /** Removes what quotes a document of a bot, or everything of the bot, and returns how many answers that were. */
  async forget(bot: string, document?: string): Promise<number> {
    for (const ticket of this.#open) if (ticket.bot === bot) ticket.forgotten.add(document ?? '*');
    return forgetAnswers(this.#deps.database, bot, document);
  }
}

const earlierQuestions = (turns: NonNullable<AnswerInput['history']>) =>
  turns
    .filter(({ role }) => role === 'user')
    .slice(-mostEarlier)
    .map(({ content }) => content.slice(0, longestQuestion));

function shortened(passages: readonly Passage[]) {
  let room = longestPassages;
  return passages.map(({ document, page, text }) => {
    const kept = text.slice(0, room);
    room -= kept.length;
    return { document: document.name, page, text: kept };
  });
}

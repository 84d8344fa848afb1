import { setTimeout as pause } from 'node:timers/promises';
import type { Bots } from '../../../src/chatbot/bots.ts';
import type { AnswerEvent, AnswerInput, Answering, AnswerOptions } from '../../../src/contracts/answering.ts';
import { NotFound, Unavailable } from '../../../src/contracts/problems.ts';
import type { Passage } from '../../../src/contracts/retrieval.ts';

/** Texts by document, by bot. */
export type ScriptedTexts = Record<string, Record<string, string>>;

export interface ScriptedBots {
  bots: Bots;
  answering: Answering;
  /** What the bots were asked. */
  asked: (AnswerInput & { bot: string; requestId: string | undefined; aborted: boolean })[];
  /** Milliseconds before each word of an answer. */
  pace: number;
  /** Thrown after the first word of the next answers. */
  failure: Error | undefined;
}

const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Bots that find sentences by common words and quote the best one, in place of the index and its models. */
export function scriptedBots(texts: ScriptedTexts): ScriptedBots {
  const documentsOf = (bot: string) => {
    if (!Object.hasOwn(texts, bot)) throw new NotFound('bot', bot);
    return texts[bot] as Record<string, string>;
  };
  const describe = (name: string) => ({
    name,
    title: name,
    uri: `/documents/${encodeURIComponent(name)}`,
    type: name.endsWith('.md') ? 'text/markdown' : name.endsWith('.txt') ? 'text/plain' : 'application/pdf',
    pages: 1,
    pageAnchors: false,
  });
  const profile = (bot: string) => ({
    name: bot,
    hello_text: '',
    retrive_n: 30,
    support_n: 6,
    example_questions: [],
    user_story: `About ${bot}`,
    bot_creator_credentials: 'test',
    files: [],
    ready: Object.keys(documentsOf(bot)).length > 0,
    problem: null,
    languages: ['eng'],
  });
  const search = (bot: string, question: string, limit = 6) => {
    const wanted = new Set(words(question).filter((word) => word.length > 4));
    const passages = Object.entries(documentsOf(bot)).flatMap(([name, text]) =>
      text.split(/(?<=[.!?])\s+/).map((sentence): Passage => {
        const hits = words(sentence).filter((word) => wanted.has(word)).length;
        return {
          id: 1,
          document: describe(name),
          text: sentence,
          markdown: sentence,
          headings: [],
          page: 1,
          segments: [{ start: 0, end: sentence.length, page: 1, boxes: [] }],
          language: 'eng',
          score: hits / Math.max(1, wanted.size),
        };
      }),
    );
    const best = passages.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
    const confidence = best[0]?.score ?? 0;
    return { passages: best.slice(0, limit), confidence, answerable: confidence >= 0.5, language: 'eng' };
  };
  const scripted: ScriptedBots = {
    asked: [],
    pace: 0,
    failure: undefined,
    bots: {
      get: async (bot) => profile(bot),
      list: async () => Object.keys(texts).map(profile),
      search: async (bot, { question, limit }) => search(bot, question, limit),
      documents: async (bot) => Object.keys(documentsOf(bot)).map(describe),
      async openDocument(bot, name) {
        const documents = documentsOf(bot);
        if (!Object.hasOwn(documents, name)) throw new NotFound('document', name);
        const bytes = Buffer.from(documents[name] as string);
        const { type } = describe(name);
        return {
          type,
          size: bytes.length,
          modifiedAt: new Date(0),
          read: async () =>
            (async function* () {
              yield bytes;
            })(),
        };
      },
    },
    answering: { answer: (bot, input, options) => answer(bot, input, options) },
  };
  async function* answer(
    bot: string,
    input: AnswerInput,
    { signal, requestId }: AnswerOptions,
  ): AsyncGenerator<AnswerEvent, void> {
    const entry = { ...input, bot, requestId, aborted: false };
    scripted.asked.push(entry);
    signal.addEventListener('abort', () => {
      entry.aborted = true;
    });
    if (!profile(bot).ready) throw new Unavailable(`the bot ${bot} has no documents yet`, { retryAfter: 5 });
    yield { type: 'stage', stage: 'searching' };
    const { passages, answerable } = search(bot, input.question);
    const best = answerable ? passages[0] : undefined;
    yield { type: 'stage', stage: 'answering' };
    const text = best ? `${best.text} [1]` : 'The documents do not say.';
    const pieces = text.split(/(?<= )/);
    for (const piece of pieces) {
      if (scripted.pace > 0) await pause(scripted.pace, undefined, { signal });
      yield { type: 'delta', text: piece };
      if (scripted.failure) throw scripted.failure;
    }
    const documents = best
      ? [
          {
            title: best.document.title,
            uri: best.document.uri,
            page: best.page,
            passage_md: best.markdown,
            score: best.score,
            quote: best.text,
            boxes: [],
          },
        ]
      : [];
    const usage = { prompt_tokens: 40, completion_tokens: pieces.length, total_tokens: 40 + pieces.length };
    yield {
      type: 'answer',
      answer: { answer: text, summary: text, documents, relevant_questions: [], usage },
    };
  }
  return scripted;
}

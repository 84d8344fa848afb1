import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeOnEachDatabase } from '../../../test/testkit/stores/databases.ts';
import { openDatabase } from '../../../test/testkit/stores/open-database.ts';
import type { Passage } from '../../contracts/retrieval.ts';
import type { Database } from '../../platform/database/database.ts';
import { KeptAnswers } from './kept-answers.ts';
import { allFeedback, listFeedback } from './list-feedback.ts';
import { rateAnswer } from './rate-answer.ts';

describeOnEachDatabase('kept answers', (databases) => {
  let database: Database;
  let now = 1_000_000;
  let kept: KeptAnswers;
  const clock = { now: () => now } as never;
  beforeAll(async () => {
    database = await openDatabase({ url: await databases.create() });
    kept = new KeptAnswers({ database, clock, rateWithin: 1_000 });
  });
  afterAll(() => database.close());
  beforeEach(() => database.query.deleteFrom('bot_answers').execute());

  const passageOf = (name: string) =>
    ({ document: { name, uri: `/documents/b/${name}` }, page: 1, text: name }) as never as Passage;
  const keep = (document: string, more: { isWritten?: boolean; history?: boolean; bot?: string } = {}) => {
    const ticket = kept.begin(more.bot ?? 'b');
    const turns = more.history ? [{ role: 'assistant' as const, content: 'earlier' }] : [];
    const answer = { answer: 'A', summary: 'A', documents: [], relevant_questions: [], usage: {} };
    const input = { question: document, history: turns };
    const passages = [passageOf(document)];
    return kept.keep(ticket, {
      input,
      answer: answer as never,
      passages,
      isWritten: more.isWritten ?? false,
    });
  };
  const ids = async () =>
    (await database.query.selectFrom('bot_answers').select('question').execute())
      .map((row) => row.question)
      .sort();

  it('removes unrated answers in time, and keeps rated ones', async () => {
    const rated = (await keep('one')) as string;
    await keep('two');
    await rateAnswer({ database, clock }, 'b', { answer_id: rated, rating: 'up' });
    now += 2_000;
    await keep('three');
    expect(await ids()).toEqual(['one', 'three']);
    await expect(rateAnswer({ database, clock }, 'c', { answer_id: rated, rating: 'up' })).rejects.toThrow(
      /not known/,
    );
  });

  it('forgets a document, what a model wrote after other answers, or a whole bot', async () => {
    await keep('one');
    await keep('two');
    await keep('three', { isWritten: true, history: true });
    await keep('four', { history: true });
    await keep('one', { bot: 'other' });
    expect(await kept.forget('b', 'one')).toBe(2);
    expect(await ids()).toEqual(['four', 'one', 'two']);
    expect(await kept.forget('b')).toBe(2);
    expect(await ids()).toEqual(['one']);
    expect(await database.query.selectFrom('bot_answer_documents').select('document').execute()).toHaveLength(
      1,
    );
  });

  it('lists ratings newest first, page by page, also those of one moment', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await rateAnswer({ database, clock }, 'b', { answer_id: (await keep(name)) as string, rating: -0.5 });
    }
    const first = await listFeedback({ database }, 'b', { limit: 2 });
    const second = await listFeedback({ database }, 'b', { limit: 2, before: first.next as string });
    const third = await listFeedback({ database }, 'b', { limit: 2, before: second.next as string });
    const seen = [first, second, third].flatMap(({ feedback }) => feedback.map(({ question }) => question));
    expect([seen.sort(), third.next]).toEqual([['a', 'b', 'c', 'd', 'e'], null]);
    expect(first.feedback[0]?.rating).toBe(-0.5);
    let all = 0;
    for await (const _ of allFeedback({ database }, 'b')) all++;
    expect(all).toBe(5);
  });
});

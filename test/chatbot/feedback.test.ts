import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../src/contracts/document-index/questions.ts';
import { scriptedBots, startChatbot } from '../testkit/document-index/chatbot.ts';

const word = 'Zwiebelkuchenrezept';
const documents = [
  { name: 'leave.pdf', text: 'Every employee is entitled to 28 days of annual leave.' },
  { name: 'secret.pdf', text: `The code word of the canteen is ${word}.` },
];
const { bots, state } = scriptedBots(documents);
let chatbot: Awaited<ReturnType<typeof startChatbot>>;
let reader: string;
let owner: string;

beforeAll(async () => {
  chatbot = await startChatbot(bots);
  reader = await chatbot.key(['index:read']);
  owner = await chatbot.key(['index']);
});
afterAll(() => chatbot.close());
beforeEach(async () => {
  state.documents = documents;
  state.answerable = true;
  await chatbot.part.forget('hr');
});

const send = (method: string, path: string, key: string, body?: unknown) =>
  fetch(chatbot.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const ask = async (question: string, more = {}): Promise<Answer & { id: string }> =>
  (await send('POST', '/v.1.0/hr', reader, { question, ...more })).json() as never;
const rate = (body: object) => send('POST', '/v.1.0/hr/feedback', reader, body);
const list = async (query = '') =>
  (await send('GET', `/v.1.0/hr/feedback${query}`, owner)).json() as never as {
    feedback: {
      question: string;
      rating: number;
      comment: string | null;
      documents: { document: string }[];
    }[];
    next: string | null;
  };

describe('POST /v.1.0/{bot_id}/feedback', () => {
  it('keeps the rating with question, answer and passages; a second one replaces it', async () => {
    const { id, answer } = await ask('How many days of leave?');
    expect(await (await rate({ answer_id: id, rating: 'down', comment: ' Too short ' })).json()).toEqual({
      answer_id: id,
      rating: -1,
    });
    expect((await rate({ answer_id: id, rating: 0.5 })).status).toBe(200);
    expect((await list()).feedback).toEqual([
      expect.objectContaining({
        answer_id: id,
        rating: 0.5,
        comment: null,
        question: 'How many days of leave?',
        answer,
        documents: [expect.objectContaining({ document: 'leave.pdf', page: 1 })],
        passages: expect.arrayContaining([{ document: 'leave.pdf', page: 1, text: documents[0]?.text }]),
      }),
    ]);
  });

  it('gives an answer that can’t be kept all the same', async () => {
    const { query } = chatbot.database;
    await sql`create trigger full before insert on bot_answers begin select raise(abort, 'full'); end`.execute(
      query,
    );
    const answer = await ask('How many days of leave?');
    await sql`drop trigger full`.execute(query);
    expect(answer.answer).toContain('28 days');
    expect(answer.id).toBeUndefined();
  });

  it.each([
    [{ answer_id: 'constructor', rating: 'up' }, 404],
    [{ answer_id: 'x', rating: 2 }, 422],
    [{ answer_id: 'x', rating: 'great' }, 422],
    [{ rating: 'up' }, 422],
    [{ answer_id: 'x', rating: 'up', comment: 'x'.repeat(5000) }, 422],
  ])('refuses %j with %d', async (body, status) => {
    expect((await rate(body)).status).toBe(status);
  });

  it('lists and exports only for keys that may change the bot, page by page', async () => {
    expect((await send('GET', '/v.1.0/hr/feedback', reader)).status).toBe(403);
    expect((await send('GET', '/v.1.0/other/feedback', owner)).status).toBe(404);
    const limited = await chatbot.key(['index'], { models: ['bot/other'] });
    expect((await send('GET', '/v.1.0/hr/feedback', limited)).status).toBe(403);
    for (const [question, rating] of [
      ['How many days of leave?', 'up'],
      ['How much leave?', 'down'],
      ['Is leave paid?', 'up'],
    ] as const) {
      await rate({ answer_id: (await ask(question)).id, rating });
    }
    state.answerable = false;
    await rate({ answer_id: (await ask('Who is the king?')).id, rating: 'up' });
    const first = await list('?limit=3');
    expect(first.feedback.map(({ question }) => question)).toHaveLength(3);
    const second = await list(`?limit=3&before=${first.next}`);
    expect([second.feedback.map(({ question }) => question), second.next]).toEqual([
      ['How many days of leave?'],
      null,
    ]);
    const lines = async (format: string) =>
      (await (await send('GET', `/v.1.0/hr/feedback?format=${format}`, owner)).text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    expect(await lines('messages')).toContainEqual({
      messages: [
        { role: 'user', content: 'How many days of leave?' },
        { role: 'assistant', content: '“Every employee is entitled to 28 days of annual leave.”' },
      ],
    });
    const questions = await lines('questions');
    expect(questions).toHaveLength(3);
    expect(questions).toContainEqual({
      question: 'Who is the king?',
      answer: null,
      document: null,
      page: null,
    });
    expect(questions).toContainEqual(expect.objectContaining({ document: 'leave.pdf', page: 1 }));
    expect((await send('GET', '/v.1.0/hr/feedback?before=x', owner)).status).toBe(400);
  });
});

describe('forget', () => {
  it('removes what quotes a document, rated or not, and nothing else', async () => {
    state.documents = documents.slice(1);
    const secret = await ask('What is the code word?');
    const unrated = await ask('What is the code word of the canteen?');
    expect(secret.answer).toContain(word);
    await rate({ answer_id: secret.id, rating: 'up' });
    state.documents = documents.slice(0, 1);
    const other = await ask('How many days of leave?');
    await rate({ answer_id: other.id, rating: 'up' });
    expect(await chatbot.part.forget('hr', 'secret.pdf')).toBe(2);
    expect(await chatbot.part.forget('hr', 'secret.pdf')).toBe(0);
    expect((await rate({ answer_id: unrated.id, rating: 'up' })).status).toBe(404);
    expect((await list()).feedback).toHaveLength(1);
    const rows = await chatbot.database.query.selectFrom('bot_answer_documents').select('document').execute();
    expect(rows).toEqual([{ document: 'leave.pdf' }]);
  });

  it('keeps nothing of an answer whose document is deleted while it is made', async () => {
    const answering = chatbot.part.answering.answer(
      'hr',
      { question: 'What is the code word?' },
      { signal: new AbortController().signal, keep: true },
    );
    let answer: Answer | undefined;
    for await (const event of answering) {
      if (event.type === 'stage' && event.stage === 'answering')
        await chatbot.part.forget('hr', 'secret.pdf');
      if (event.type === 'answer') answer = event.answer;
    }
    expect(answer?.id).toBeUndefined();
    expect(await chatbot.database.query.selectFrom('bot_answers').selectAll().execute()).toEqual([]);
  });

  it('stores no answer anywhere but in its table', async () => {
    state.documents = documents.slice(1);
    await ask('What is the code word?');
    const holding = readdirSync(chatbot.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(word))
      .map((entry) => entry.name);
    expect(holding.every((name) => name.startsWith('roundhouse.db'))).toBe(true);
  });
});

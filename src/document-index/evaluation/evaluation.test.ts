import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedBots } from '../../../test/testkit/document-index/scripted-bots.ts';
import type { Answer } from '../../contracts/document-index/questions.ts';
import { Unavailable } from '../../contracts/problems.ts';
import { openFileBlobs } from '../../platform/blobs/file-blobs.ts';
import { answerF1, answerRecall } from './answer-scores.ts';
import { isRightCitation, isVerbatim } from './citation-scores.ts';
import { evaluateQuestion } from './evaluate-question.ts';
import { answerWords, containsAnswer } from './normalise-answer.ts';
import { ndcgAt10, ranksOf, recallAt } from './ranking-scores.ts';
import { readQuestions } from './read-questions.ts';
import { regressionMemory } from './regression-memory.ts';
import { runRegression } from './run-regression.ts';
import { summariseScores } from './summarise-scores.ts';

test.each([
  ['The «Ёлка», А́нна и Юрий!', ['елка', 'анна', 'и', 'юрий']],
  ['1 250 000 руб., 3.5 % от A-200/B', ['1250000', 'руб', '3.5', 'от', '200', 'b']],
  ['', []],
])('words of %s', (text, words) => {
  expect(answerWords(text)).toEqual(words);
});

test.each([
  ['308', 'The Panthers gave up 308 points.', 2 / 6, 1],
  ['тридцать дней', 'Срок: тридцать дней', 0.8, 1],
  ['тридцать дней', 'Сорок дней', 0.5, 0.5],
  ['a cat', 'the cat', 1, 1],
  ['cat', 'dog', 0, 0],
  ['cat', '', 0, 0],
])('an answer %s against %s', (right, given, f1, recall) => {
  expect(answerF1(given, right)).toBeCloseTo(f1);
  expect(answerRecall(given, right)).toBeCloseTo(recall);
});

test('an answer is found by whole words', () => {
  expect(containsAnswer('It has 1 308 points', '308')).toBe(false);
  expect(containsAnswer('It has 308 points', '308.')).toBe(true);
  expect(containsAnswer('anything', '…')).toBe(false);
});

const passage = (document: string, text: string, page: number | null = 1) => ({
  document,
  title: document,
  uri: `/documents/${encodeURIComponent(document)}`,
  page,
  headings: [],
  text,
  markdown: text,
  language: 'eng',
  score: 1,
});

test('ranks, recall and nDCG', () => {
  const passages = [passage('b.txt', 'has 308'), passage('a.txt', 'none'), passage('a.txt', 'has 308', 2)];
  const question = { question: 'q', document: 'a.txt', answer: '308' };
  expect(ranksOf(question, passages)).toEqual([3]);
  expect(ranksOf({ ...question, page: 1 }, passages)).toEqual([undefined]);
  const long = [{ ...passage('a.txt', 'The river is 308 km long.', 1), last_page: 3 }];
  expect([2, 4].map((page) => ranksOf({ question: 'q', answer: '308', page }, long))).toEqual([
    [1],
    [undefined],
  ]);
  expect(ranksOf({ question: 'q', document: 'a.txt' }, passages)).toEqual([2]);
  expect(ranksOf({ question: 'q', answer: null }, passages)).toBeUndefined();
  expect(ranksOf({ question: 'q' }, passages)).toBeUndefined();
  expect(ranksOf({ question: 'q', spans: ['308', 'missing'] }, passages)).toEqual([1, undefined]);
  expect([recallAt([3], 1), recallAt([3], 5), recallAt([1, undefined], 10)]).toEqual([0, 1, 0.5]);
  expect([ndcgAt10([1]), ndcgAt10([3]), ndcgAt10([undefined]), ndcgAt10([11])]).toEqual([1, 0.5, 0, 0]);
});

const cited = (quote: string, passage_md = `Before. ${quote} After.`): Answer['documents'][number] => ({
  title: 'Contract',
  uri: '/documents/%D0%94%D0%BE%D0%B3%D0%BE%D0%B2%D0%BE%D1%80.pdf?v=1',
  page: 3,
  passage_md,
  score: 1,
  quote,
  boxes: [],
});

test('citations are right in document, page and text, and quotes verbatim', () => {
  const question = { question: 'q', document: 'Договор.pdf', page: 3, answer: '30 days' };
  expect(isRightCitation(question, cited('30 days'))).toBe(true);
  expect(isRightCitation({ ...question, page: 4 }, cited('30 days'))).toBe(false);
  expect(isRightCitation({ ...question, document: 'b.pdf' }, cited('30 days'))).toBe(false);
  expect(isRightCitation(question, cited('40 days'))).toBe(false);
  expect(isVerbatim(cited('30 days', 'within **30\ndays**'))).toBe(true);
  expect(isVerbatim(cited('31 days', 'within 30 days'))).toBe(false);
});

test('questions are read from lines of several shapes', () => {
  const text = [
    '\ufeff{"question":"A?","document":"a.txt","answer":"1","answer_start":3,"id":"x"}',
    '',
    '{"question":"B?","spans":[{"text":"b","start":1,"end":2}]}\r',
    '{"question":"C?","answer":null}',
  ].join('\n');
  expect(readQuestions(text)).toEqual([
    { question: 'A?', document: 'a.txt', answer: '1' },
    { question: 'B?', spans: ['b'] },
    { question: 'C?', answer: null },
  ]);
  expect(() => readQuestions('{"question":"A?"}\nnot\n{"question":" "}\n{"page":0}')).toThrow(
    /^line 2: is not JSON; line 3: question: must not be empty; line 4: question: /,
  );
  expect(() => readQuestions('\n')).toThrow('there are no questions');
});

test('the summary counts refusals and leaves out what is not known', () => {
  const answered = { answer: 'The pump holds 400 litres. [1]', documents: [cited('400 litres')] };
  const refused = { answer: 'The documents do not say.', documents: [] };
  const scores = [
    evaluateQuestion({ question: 'q', answer: '400 litres' }, [passage('a', 'holds 400 litres')], answered),
    evaluateQuestion({ question: 'q', answer: '400 litres' }, [], refused),
    evaluateQuestion({ question: 'q', answer: null }, [], refused),
    evaluateQuestion({ question: 'q', answer: null }, [], answered),
  ];
  expect(summariseScores(scores)).toEqual({
    questions: 4,
    unanswerable: 2,
    recall_at_1: 0.5,
    recall_at_5: 0.5,
    recall_at_10: 0.5,
    ndcg_at_10: 0.5,
    answer_f1: expect.closeTo(1 / 3),
    answer_recall: 0.5,
    citation_accuracy: 1,
    quotes_verbatim: 1,
    refused_of_unanswerable: 0.5,
    answered_of_answerable: 0.5,
  });
  expect(summariseScores([])).toMatchObject({
    questions: 0,
    recall_at_1: null,
    answered_of_answerable: null,
  });
});

test('a regression run says what got worse since the last one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-regression-'));
  const blobs = await openFileBlobs(folder);
  const memory = regressionMemory(blobs);
  const texts: Record<string, Record<string, string>> = {
    pumps: { 'a.md': 'The pump holds 400 litres.', 'b.md': 'The warranty lasts three years.' },
  };
  const questions = [
    { question: 'How many litres does the pump hold?', answer: '400 litres', document: 'a.md', page: null },
    { question: 'How long is the warranty?', answer: 'three years', document: 'b.md', page: 1 },
    { question: 'Who is the director?', answer: null, document: null, page: null },
  ];
  const scripted = scriptedBots(texts);
  const run = () =>
    runRegression(
      { answering: scripted.answering, questions: async () => questions, memory },
      { bot: 'pumps', signal: new AbortController().signal },
    );
  expect(await run()).toMatchObject({ questions: 3, passed: 3, worse: [] });
  // The document is replaced by one that says something else.
  texts.pumps = { 'a.md': 'The pump holds 600 litres.' };
  expect(await run()).toMatchObject({
    passed: 1,
    worse: [
      { question: questions[0]?.question, reason: 'the answer does not contain the right one' },
      { question: questions[1]?.question, reason: 'it was not answered' },
    ],
  });
  scripted.failure = new Unavailable('no model is deployed');
  expect(await run()).toMatchObject({
    passed: 0,
    worse: [{ reason: 'it could not be answered: no model is deployed' }],
  });
  scripted.failure = undefined;
  texts.pumps = { 'a.md': 'The pump holds 400 litres.' };
  expect(await run()).toMatchObject({ passed: 2, worse: [] });
  await memory.forget('pumps');
  expect(await memory.last('pumps')).toBeUndefined();
  questions.length = 0;
  expect(await run()).toBeNull();
  await blobs.close();
  rmSync(folder, { recursive: true });
});

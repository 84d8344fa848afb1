import { describe, expect, it, test } from 'vitest';
import type { Passage } from '../../contracts/retrieval.ts';
import type { PlainMessage } from '../../platform/inference/calls/chat.ts';
import { findPassages } from './find-passages.ts';
import { fitPrompt } from './fit-prompt.ts';
import { languageName, phrasesIn } from './language.ts';
import { ModelText } from './model-text.ts';
import { repetitionStart } from './repetition.ts';
import { changesSubject, withEarlierTerms } from './stand-alone.ts';

describe('ModelText', () => {
  const read = (text: string, size: number) => {
    const model = new ModelText();
    let shown = '';
    for (let at = 0; at < text.length; at += size) shown += model.add(text.slice(at, at + size));
    return { shown, answer: model.answer, questions: model.questions, isLooping: model.isLooping };
  };

  it.each([1, 3, 1000])('takes answer and questions apart in pieces of %d', (size) => {
    const text =
      '<think>Hm > \n>> no</think>\nYes > no [1].\n\nQuestions:\n>> Who pays? [2]\n>> 2. When is it?';
    expect(read(text, size)).toMatchObject({
      answer: 'Yes > no [1].',
      questions: ['Who pays?', 'When is it?'],
    });
    expect(read('A [1].\n>> Who?', size).shown).toBe('A [1].');
    expect(read('<b>A</b>', size).shown).toBe('<b>A</b>');
  });

  it('cuts what repeats itself', () => {
    const { answer, isLooping } = read(`It is so. ${'No way. '.repeat(100)}`, 5);
    expect(isLooping).toBe(true);
    expect(answer).toMatch(/^It is so\. No way\.?$/);
  });
});

describe('repetitionStart', () => {
  it.each([
    '',
    'A plain sentence of a few words, without any repetition at all.'.repeat(1),
    '1, 2, 3, '.repeat(3),
  ])('finds none in %j', (text) => expect(repetitionStart(text)).toBeUndefined());
});

describe('withEarlierTerms', () => {
  const history = [
    { role: 'user', content: 'Сколько стоит насос АБ-14?' },
    { role: 'assistant', content: 'Насос АБ-14 стоит 1200 рублей [1].' },
  ] as const;
  it.each([
    ['А клапан?', 'А клапан? (стоит насос АБ-14 рублей)'],
    [
      'Как оформить ежегодный оплачиваемый отпуск сотруднику?',
      'Как оформить ежегодный оплачиваемый отпуск сотруднику?',
    ],
  ])('%s', (question, expected) => expect(withEarlierTerms(question, history)).toBe(expected));
});

describe('findPassages', () => {
  const history = [
    { role: 'user' as const, content: 'Сколько дней длится отпуск?' },
    { role: 'assistant' as const, content: 'Отпуск длится 28 календарных дней [1].' },
  ];
  const searching = async (question: string, answerable: boolean) => {
    const asked: string[] = [];
    const passage = { text: 'Заявление на отпуск подаётся заранее.', headings: [], document: { title: '' } };
    const search = async ({ question: searched }: { question: string }) => {
      asked.push(searched);
      return { passages: [passage as never as Passage], confidence: 1, answerable, language: 'eng' };
    };
    const { standAlone } = await findPassages({ search, writer: undefined }, { question, history });
    return { asked, standAlone };
  };
  const added = expect.stringContaining('(дней длится отпуск');

  it('takes a question as it is where it refers to nothing and has an answer', async () => {
    const question = 'What is the hotel limit?';
    expect(await searching(question, true)).toEqual({ asked: [question], standAlone: question });
  });
  it('adds words of earlier turns where it refers to them, or nothing is found for it alone', async () => {
    expect(await searching('А заявление?', true)).toEqual({ asked: [added], standAlone: added });
    const short = await searching('Заявление?', false);
    expect(short).toEqual({ asked: ['Заявление?', added], standAlone: added });
  });
  it('searches no second time where another subject would be found', async () => {
    const question = 'Hotel limit?';
    expect(await searching(question, false)).toEqual({ asked: [question, added], standAlone: question });
  });
});

test.each([
  ['Кто выиграл чемпионат мира?', true],
  ['А насосы?', false],
  ['Кто его выиграл?', false],
  ['А сколько?', false],
])('"%s" changes the subject: %s', (question, expected) => {
  const passage = { text: 'Насос стоит 1200 рублей.', headings: [], document: { title: 'Цены' } };
  expect(changesSubject(question, [passage as never as Passage])).toBe(expected);
});

describe('languageName', () => {
  it.each([
    ['rus', 'Russian'],
    ['deu', 'German'],
    ['und', undefined],
    ['no such', undefined],
    ['', undefined],
  ])('%j is %j', (code, name) => expect(languageName(code)).toBe(name));
  it('has a refusal for every language', () => expect(phrasesIn('xyz').notFound).toMatch(/documents/));
});

describe('fitPrompt', () => {
  const passage = (id: number) =>
    ({
      id,
      document: { title: 'T' },
      headings: [],
      page: 1,
      markdown: 'word '.repeat(200),
    }) as never as Passage;
  const parts = {
    userStory: '',
    passages: [passage(1), passage(2), passage(3)],
    history: Array.from({ length: 30 }, () => ({ role: 'user' as const, content: 'old words '.repeat(20) })),
    question: 'q',
    standAlone: 'q',
    language: 'eng',
  };
  const lengthOf = (messages: PlainMessage[]) =>
    messages.reduce((sum, { content }) => sum + content.length, 0);
  const withCount = async (messages: PlainMessage[]) => lengthOf(messages);

  it('keeps the best passages and the newest turns that have room, by exact count', async () => {
    for (const room of [3000, 5000, 8000]) {
      const fitted = await fitPrompt(parts, { room, count: withCount });
      expect(lengthOf(fitted?.messages ?? [])).toBeLessThanOrEqual(room);
      expect(fitted?.passages[0]).toBe(parts.passages[0]);
    }
    const all = await fitPrompt(parts, { room: 100_000, count: withCount });
    expect([all?.passages.length, all?.messages.length]).toEqual([3, 10]);
  });

  it('finds no prompt where nothing fits, and trusts the estimate where nobody counts', async () => {
    expect(await fitPrompt(parts, { room: 50, count: withCount })).toBeUndefined();
    expect(
      (await fitPrompt(parts, { room: 900, count: async () => undefined }))?.passages.length,
    ).toBeGreaterThan(0);
  });
});

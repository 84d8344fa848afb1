import { describe, expect, it } from 'vitest';
import { sanitizeHtml } from '../../greeting/sanitize-html.ts';
import type { BotOutline } from './bot-outline.ts';
import { makeExampleQuestions, questionsFromHeadings, readQuestions } from './example-questions.ts';
import { greetingFromTitles, makeGreeting, readGreeting } from './greeting.ts';
import { tidyHeading } from './tidy-heading.ts';

type Documents = { title: string; headings: string[]; language?: string }[];
const outline = (documents: Documents, language = 'eng'): BotOutline => ({
  userStory: '',
  language,
  languages: [language],
  documents: documents.map((document) => ({ language: undefined, ...document })),
  count: documents.length,
});

describe('sanitizeHtml', () => {
  it.each([
    ['<p>Hello, <b>you</b></p>', '<p>Hello, <b>you</b></p>'],
    ['a < b & c', 'a &lt; b &amp; c'],
    ['<script>alert(1)</script>text', 'text'],
    ['<scr<script>ipt>alert(1)</script>', 'ipt&gt;alert(1)'],
    ['<p onclick="x()" style="a">A</p>', '<p>A</p>'],
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href=" JaVaScRiPt:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="java&#115;cript:alert(1)">x</a>', '<a>x</a>'],
    [
      '<a href=\'https://a.example/?q="b"\'>x</a>',
      '<a href="https://a.example/?q=&quot;b&quot;" rel="noopener noreferrer">x</a>',
    ],
    ['<img src=x onerror=alert(1)>A', 'A'],
    ['<svg><script>alert(1)</script></svg>B', 'B'],
    ['<math><mi//xlink:href="data:x,<script>alert(1)</script>">', ''],
    ['<style>@import url(x)</style><b>B', '<b>B</b>'],
    ['</div><ul><li>1<li>2</ul>', '<ul><li>1</li><li>2</li></ul>'],
    ['<!-- x --><constructor>c</constructor>', 'c'],
    ['&lt;script&gt;', '&lt;script&gt;'],
    ['<textarea><b onclick=x></textarea>A', 'A'],
    ['Привет 👋', 'Привет 👋'],
  ])('%s', (html, expected) => {
    expect(sanitizeHtml(html)).toBe(expected);
    expect(sanitizeHtml(expected)).toBe(expected);
  });
});

it.each([
  ['1.2 Vacation rules', 'Vacation rules'],
  ['Глава 3. Порядок оформления', 'Порядок оформления'],
  ['ОБЩИЕ ПОЛОЖЕНИЯ', 'Общие положения'],
  ['Contents', undefined],
  ['Приложение А', undefined],
  ['3.14159', undefined],
  ['https://example.org/a', undefined],
  ['x = y + 2', undefined],
  ['a'.repeat(90), undefined],
  ['How do I return goods?', 'How do I return goods?'],
  ['I am tired. We go.', undefined],
])('the heading %j becomes %j', (heading, expected) => {
  expect(tidyHeading(heading)).toBe(expected);
});

describe('example questions', () => {
  const handbook = {
    title: 'Handbook',
    headings: ['Handbook', '1. Vacation days', 'Contents', '2. Parking lots'],
  };

  it('are made of headings where no model is served', () => {
    expect(questionsFromHeadings(outline([handbook]))).toEqual([
      'What does the section “Vacation days” say?',
      'What does the section “Parking lots” say?',
      'What is “Handbook” about?',
    ]);
    const russian = outline([{ title: 'Устав', headings: ['Порядок оплаты'] }, handbook], 'rus');
    expect(questionsFromHeadings(russian)[0]).toBe(
      'Что сказано в разделе «Порядок оплаты» документа «Устав»?',
    );
    const mixed = outline([{ title: 'Устав', headings: ['Порядок оплаты'], language: 'rus' }, handbook]);
    expect(questionsFromHeadings(mixed).slice(0, 2)).toEqual([
      'Что сказано в разделе «Порядок оплаты» документа «Устав»?',
      'What does the section “Vacation days” of “Handbook” say?',
    ]);
    expect(questionsFromHeadings(outline([]))).toEqual([]);
  });

  it.each([
    ['["What is A like?", "Who pays for B?", "Where is C kept?"]', 'eng', 3],
    ['Sure! Here:\n["What is A like?", "What is A like?", "no question", "?"]', 'eng', 1],
    ['["Сколько дней длится отпуск?"]', 'eng', 0],
    ['["Сколько дней длится отпуск?"]', 'rus', 1],
    ['[1, 2]', 'eng', 0],
    ['nothing', 'eng', 0],
    ['[[[', 'eng', 0],
  ])('%j in %s has %i of them', (answer, language, count) => {
    expect(readQuestions(answer, language)).toHaveLength(count);
  });

  it('are those of the model if it answers as asked, and fall back to headings if not', async () => {
    const told: string[] = [];
    const asking = (text: string) => ({
      model: 'm',
      inference: {
        async ask({ messages }: { messages: readonly { content?: unknown }[] }) {
          told.push(String(messages[0]?.content));
          return { text, reasoning: '', toolCalls: [], finishReason: 'stop', usage: undefined };
        },
      },
    });
    const signal = new AbortController().signal;
    const story = { ...outline([handbook]), userStory: 'Drivers ask about trucks.' };
    const good = '["Where may I park a truck?", "How many days off are there?", "Who approves a vacation?"]';
    expect(await makeExampleQuestions(asking(good), story, signal)).toHaveLength(3);
    expect(told[0]).toContain('Drivers ask about trucks.');
    expect(told[0]).toContain('Vacation days');
    const bad = await makeExampleQuestions(asking('I am a language model.'), story, signal);
    expect(bad).toEqual(questionsFromHeadings(story));
    expect(await makeGreeting(asking('Hello! I know the handbook & more.'), story, signal)).toBe(
      '<p>Hello! I know the handbook &amp; more.</p>',
    );
    expect(await makeGreeting(asking('**Hello** <script>'), story, signal)).toBe(
      `<p>${greetingFromTitles(story)}</p>`,
    );
  });
});

it('a greeting names the documents', () => {
  const titles = ['A', 'B', 'C', 'D'].map((title) => ({ title, headings: [] }));
  expect(greetingFromTitles(outline(titles))).toBe(
    'Hello! I answer questions about these documents: “A”, “B”, “C” and 1 more.',
  );
  expect(greetingFromTitles(outline(titles.slice(0, 1), 'rus'))).toBe(
    'Здравствуйте! Я отвечаю на вопросы по документам: «A».',
  );
  expect(readGreeting('Здравствуйте! Спрашивайте об отпусках.', 'eng')).toBeUndefined();
});

import { expect, it } from 'vitest';
import { withoutPhrases } from './without-phrases.ts';

it('drops what quotes a phrase, and nothing else', () => {
  const description = {
    greeting: '<p>Hello! I answer questions about these documents: “A &amp; B”, “Rules”.</p>',
    questions: ['What is “A & B” about?', 'Кто платит?', 'Что сказано в разделе «Оплата»?', 'What is A & B?'],
  };
  expect(withoutPhrases(description, new Set(['A & B', 'Кто платит?', 'Оплата']))).toEqual({
    greeting: '',
    questions: ['What is A & B?'],
  });
  expect(withoutPhrases(description, new Set(['Rule', 'A']))).toEqual(description);
});

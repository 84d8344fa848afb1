import { expect, test } from 'vitest';
import { formulations, partsOf, questionLanguage } from './questions.ts';

test.each([
  ['Who built the bridge and when was it opened?', ['Who built the bridge', 'when was it opened?']],
  ['Кто построил мост и когда его открыли?', ['Кто построил мост', 'когда его открыли?']],
  ['What is the price? How long is the warranty?', ['What is the price?', 'How long is the warranty?']],
  ['What do cats and dogs eat?', []],
  ['Чем отличаются насосы и вентили?', []],
  ['', []],
])('parts of "%s"', (question, parts) => expect(partsOf(question)).toEqual(parts));

test('a question is searched in all formulations, without repetitions', () => {
  expect(formulations('  How  many? ', ['How many?', 'The number'])).toEqual(['How many?', 'The number']);
  expect(formulations('Что сказано в разделе «Оплата» документа «Устав»?')[1]).toBe('Оплата Устав');
  expect(formulations('', [])).toEqual([]);
  expect(formulations('why '.repeat(30_000))[0]).toHaveLength(1_999);
  expect(formulations('a', ['b', 'c', 'd', 'e', 'f', 'g'])).toHaveLength(5);
});

test.each([
  ['How high is the tower?', 'eng'],
  ['Какова высота башни?', 'rus'],
  ['Wie hoch ist der Turm und die Mauer?', 'deu'],
  ['塔の高さは？', 'jpn'],
  ['???', 'und'],
])('language of "%s"', (question, language) => expect(questionLanguage(question)).toBe(language));

import { describe, expect, test } from 'vitest';
import { hashTerm } from './hash-term.ts';
import { queryTerms, questionWords, termsOf, translatableWords } from './terms.ts';
import { joinedWords, wordTerms } from './word-terms.ts';

const termsIn = (text: string) => (text.normalize('NFKC').match(joinedWords) ?? []).flatMap(wordTerms);
const share = (question: string, text: string) => {
  const known = new Set(termsOf(text).terms);
  return [...queryTerms(question)].filter((term) => known.has(term)).length;
};

describe('wordTerms', () => {
  test.each([
    ['The running dogs', ['run', 'dog']],
    ['Ёлки стояли во дворах', ['елк', 'стоя', 'двор']],
    ['Café Ångström', ['cafe', 'angstrom']],
    ['IT is not it; the WHO', ['it', 'who']],
    ["O'Brien's dog", ['obrien', 'dog']],
    ['role-playing', ['role', 'play', 'roleplay']],
    ['юго‑восток', ['юг', 'восток', 'юговосток']],
    ['in the U.S.', ['us']],
    ['end.Next', ['end', 'next']],
    ['C++ and C#', ['c', 'c++', 'c', 'c#']],
    ['東京都', ['東京', '京都']],
    ['constructor __proto__', ['constructor', 'proto']],
  ])('%s', (text, terms) => expect(termsIn(text)).toEqual(terms));

  test.each([
    ['ISO-9001', ['iso9001', 'iso', '9001']],
    ['ISO9001', ['iso9001', 'iso', '9001']],
    ['TP-400/2', ['tp400/2', 'tp', '400', '2']],
    ['v1.2.3', ['v1.2.3', 'v', '1', '2', '3']],
    ['АБ-12/3-К', ['аб12/3к', 'аб', '12', '3', 'к']],
    ['1,250.50', ['1250.50']],
    ['3,5', ['3.5']],
    ['05.03.2024', ['05.03.2024', '2024']],
    ['19th 1990s 90-х 5-го', ['19', '1990', '90', '5']],
    ['10:30', ['10:30', '10', '30']],
  ])('keeps numbers and codes whole: %s', (text, terms) => expect(termsIn(text)).toEqual(terms));
});

describe('termsOf', () => {
  test('counts terms in ascending order', () => {
    const { terms, counts } = termsOf('valve, valves; pump');
    const expected = [
      { term: hashTerm('valv'), count: 2 },
      { term: hashTerm('pump'), count: 1 },
    ].sort((a, b) => a.term - b.term);
    expect([...terms]).toEqual(expected.map(({ term }) => term));
    expect([...counts]).toEqual(expected.map(({ count }) => count));
  });

  test('caps counts, and reads any text', () => {
    expect(termsOf('pump '.repeat(70_000)).counts).toEqual(Uint16Array.of(65_535));
    expect(termsOf('').terms).toHaveLength(0);
    expect(termsOf('— … !?').terms).toHaveLength(0);
    expect(termsOf('x'.repeat(1_000_000)).terms).toHaveLength(1);
    expect(termsOf(`${'a-'.repeat(500_000)}b`).terms.length).toBeLessThan(10);
    expect(termsOf('\ud800 lone \udfff').terms).toHaveLength(1);
  });

  test('reads numbers that are grouped with no-break spaces', () => {
    expect(share('12000', 'всего 12\u00a0000 рублей')).toBe(1);
    expect(share('12000', 'cells 12 000')).toBe(0);
  });

  test('a question finds other forms of its words', () => {
    expect(share('Какие насосы установлены?', 'В цехе установили насос.')).toBeGreaterThan(0);
    expect(share('pumping stations', 'The station has two pumps.')).toBe(2);
    expect(share('ISO 9001', 'certified to ISO-9001')).toBe(2);
    expect(share('TP‑400', 'Model TP-400/2')).toBe(2);
    expect(share('what is it', 'it is what it is')).toBe(0);
  });
});

describe('names in the other script', () => {
  test.each([
    ['Кто такой Кристофер?', 'Christopher was here.'],
    ['Где Джексонвилл?', 'the city of Jacksonville'],
    ['Что сделал Черчилль?', 'In 1940 Churchill said'],
    ['Who was Luther?', 'В 1517 году Лютера осудили.'],
    ['Who defeated the Panthers?', 'команда Пантерс'],
  ])('%s', (question, text) => expect(share(question, text)).toBe(1));

  test('count once within one script, and words are no names', () => {
    expect(share('Christopher', 'Christopher')).toBe(1);
    expect(questionWords('Christopher')).toHaveLength(1);
    expect(share('парламент', 'the parliament')).toBe(0);
  });
});

describe('translatableWords', () => {
  test.each([
    ['Кто был премьер-министром ГДР?', ['премьер', 'министром', 'гдр'], []],
    ['Когда Сен-Пьер освободил Дюкен?', ['сен', 'пьер', 'освободил', 'дюкен'], ['сен', 'пьер', 'дюкен']],
    ['Фридрих родился в Праге?', ['фридрих', 'родился', 'праге'], ['праге']],
    ['Чем смазать насос TP-400 в 90-х?', ['смазать', 'насос', null, null, null, null], []],
  ])('%s', (question, words, names) => {
    const found = translatableWords(question);
    expect(found.map(({ text }) => text)).toEqual(words);
    expect(found.filter(({ isName }) => isName).map(({ text }) => text)).toEqual(names);
  });
});

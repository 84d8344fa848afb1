import { expect, test } from 'vitest';
import { isGarbled } from './garbled-text.ts';
import { repairEncoding } from './repair-encoding.ts';

const facts = (text: string, unmapped = 0) => ({
  words: text.split(/\s+/).map((word) => ({ text: word })),
  characters: text.length,
  unmapped,
});

const english =
  'The number of passengers grew by eleven percent compared with the previous year and freight volume stayed level throughout';
const russian =
  'Объём перевозок вырос на одиннадцать процентов по сравнению с предыдущим годом а грузооборот остался на прежнем уровне без изменений';

test('ordinary text makes sense', () => {
  expect(isGarbled(facts(english))).toBe(false);
  expect(isGarbled(facts(russian))).toBe(false);
  expect(isGarbled(facts('GDP HTTP XML NATO 12.5% 2024 2025 1,200 CPU GPU RAM SSD PDF JSON USB'))).toBe(
    false,
  );
  expect(
    isGarbled(
      facts(
        'const total = rows.map((row) => row.price * row.count).reduce((a, b) => a + b, 0); return total',
      ),
    ),
  ).toBe(false);
});

test('shifted codes and glyphs without a meaning do not', () => {
  const shifted = english.replace(/[a-zA-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 29));
  expect(isGarbled(facts(shifted))).toBe(true);
  expect(isGarbled(facts(english, 40))).toBe(true);
});

test('Windows-1251 that was taken for Latin-1 is read as Cyrillic', () => {
  const words = ['Îáú¸ì', 'ïåðåâîçîê', 'âûðîñ'].map((text) => ({ text }));
  expect(repairEncoding(words).map((word) => word.text)).toEqual(['Объём', 'перевозок', 'вырос']);
  const french = [{ text: 'déjà' }, { text: 'été' }, { text: 'naïve' }, { text: 'fenêtre' }];
  expect(repairEncoding(french)).toBe(french);
});

import { expect, it } from 'vitest';
import { classifyText } from './classify-text.ts';
import { languageDetector } from './detect-language.ts';

it.each([
  ['ITEM 1A. RISK FACTORS', 'Title'],
  ['Financial Statements', 'Title'],
  ['The company was founded in 1998 and makes trains.', 'NarrativeText'],
  ['To My Dearest Friends,', 'UncategorizedText'],
  ['1984', 'UncategorizedText'],
  ['-----------BREAK---------', 'UncategorizedText'],
  ['• a point', 'ListItem'],
  ['anna@example.com', 'EmailAddress'],
])('%s is %s', (text, kind) => {
  expect(classifyText(text)).toBe(kind);
});

it.each([
  ['Введение', 'Title'],
  ['Отчёт по продажам', 'Title'],
  ['Компания основана в 1998 году и производит поезда.', 'NarrativeText'],
])('%s is %s, in a language whose verbs are not known', (text, kind) => {
  expect(classifyText(text, ['rus'])).toBe(kind);
});

it.each([
  ['rus', 'Годовой отчёт компании за прошлый год'],
  ['ukr', 'Це український текст про новини'],
  ['bel', 'Гэта беларуская мова і яна жывая ў нас'],
  ['bul', 'Това е български текст за новините, който се чете'],
  ['kaz', 'Қазақстан Республикасы және оның халқы'],
  ['eng', 'The quick brown fox jumps over the lazy dog'],
  ['deu', 'Der schnelle braune Fuchs ist nicht hier'],
  ['fra', 'Le résumé de la réunion est dans les annexes'],
  ['spa', 'El niño está en la casa con los otros'],
  ['ita', 'Il gatto è nella casa con gli altri della famiglia'],
  ['por', 'O relatório não está na mesa com os outros'],
  ['pol', 'Sprawozdanie jest już gotowe, ale nie dla wszystkich'],
  ['jpn', 'これは日本語の文章です'],
  ['zho', '这是中文文本'],
  ['kor', '이것은 한국어 텍스트입니다'],
  ['ell', 'Αυτό είναι ένα κείμενο'],
  ['ara', 'هذا نص باللغة العربية'],
])('detects %s', (language, text) => {
  expect(languageDetector()(text)).toEqual([language]);
});

it('takes short texts for the language seen before in the same script', () => {
  const detect = languageDetector();
  expect(detect('Summary')).toEqual(['eng']);
  detect('Der Bericht ist nicht für die Presse und auch nicht für uns.');
  expect(detect('Summary')).toEqual(['deu']);
  expect(detect('Итоги')).toEqual(['rus']);
  expect(detect('1 + 2')).toEqual([]);
});

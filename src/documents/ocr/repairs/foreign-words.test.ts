import { expect, it } from 'vitest';
import { foreignWords, withOwnWords } from './foreign-words.ts';

const line = (...words: [text: string, confidence: number][]) =>
  words.map(([text, confidence], index) => ({
    text,
    confidence,
    box: { left: 100 * index, right: 100 * index + 80, top: 0, bottom: 20 },
  }));

it('takes words of the other script over from a surer reading in the language of the line', () => {
  const mixed = line(['Annual', 96], ['report', 96], ['гай', 92], ['traffic', 96], ['отчёт', 95]);
  const foreign = foreignWords(mixed.slice(0, 4));
  expect(foreign?.language).toBe('eng');
  const again = line(['Annual', 96], ['report', 96], ['rail', 95], ['traffic', 90]);
  const words = withOwnWords(mixed, foreign?.words ?? [], again);
  expect(words.map((word) => word.text)).toEqual(['Annual', 'report', 'rail', 'traffic', 'отчёт']);
  const unsure = line(['Annual', 96], ['report', 96], ['ran', 40], ['traffic', 90]);
  expect(withOwnWords(mixed, foreign?.words ?? [], unsure)).toEqual(mixed);
  const russian = line(['Станция', 96], ['открывает', 96], ['движение', 96], ['railway', 78], ['утром', 96]);
  const wrong = line(['Станция', 96], ['открывает', 96], ['движение', 96], ['гаймау', 79], ['утром', 96]);
  expect(withOwnWords(russian, foreignWords(russian)?.words ?? [], wrong)).toEqual(russian);
  expect(foreignWords(line(['Annual', 96], ['отчёт', 96]))).toBeUndefined();
});

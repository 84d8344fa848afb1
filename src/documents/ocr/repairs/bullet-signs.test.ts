import { expect, test } from 'vitest';
import { bulletFirst, repairLetterMarkers } from './bullet-signs.ts';

const style = { size: 10, bold: false, italic: false, mono: false, font: '' };

/** A line of words with spaces of a quarter of the font size, or a wider one after the first. */
function line(text: string, firstGap = 2.5) {
  let left = 50;
  return text.split(' ').map((word, index) => {
    const box = { left, right: left + 5 * word.length, top: 0, bottom: 10 };
    left = box.right + (index === 0 ? firstGap : 2.5);
    return { text: word, box, baseline: 8, style, line: 0 };
  });
}

const text = (words: { text: string }[]) => words.map((word) => word.text).join(' ');

test.each([
  ['© Costs fell', 2.5, '• Costs fell'],
  ['o Costs fell', 12, '• Costs fell'],
  ['о планах на год', 6, 'о планах на год'],
  ['2, Second step', 2.5, '2. Second step'],
  ['2Записать показание', 2.5, '2. Записать показание'],
  ['3D printing', 2.5, '3D printing'],
])('%s with a gap of %d', (read, gap, repaired) => {
  expect(text(bulletFirst(line(read, gap)))).toBe(repaired);
});

test('letters of a list that are read as digits', () => {
  const lines = ['1. Вес', 'а) рыба', '6) мясо', 'в) хлеб', '5) шаг', '6) шаг'].map((one) => line(one));
  expect(repairLetterMarkers(lines).map(text)).toEqual([
    '1. Вес',
    'а) рыба',
    'б) мясо',
    'в) хлеб',
    '5) шаг',
    '6) шаг',
  ]);
});

test('a raised sign marks a footnote', () => {
  const [mark, ...rest] = line('® Figures were estimated');
  const raised = { ...mark, box: { ...mark?.box, bottom: 4 } } as (typeof rest)[number];
  expect(text(bulletFirst([raised, ...rest]))).toBe('® Figures were estimated');
});

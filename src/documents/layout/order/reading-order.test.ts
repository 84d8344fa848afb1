import { expect, test } from 'vitest';
import { toRow } from '../rows.ts';
import { readingOrder } from './reading-order.ts';

const style = { size: 10, bold: false, italic: false, mono: false, font: 'Serif' };

/** A line of text that fills a stretch of the page. */
function line(name: string, left: number, right: number, top: number) {
  const words = ['lorem', 'ipsum', 'dolor', 'sit', name];
  const each = (right - left) / words.length;
  const row = toRow(
    words.map((text, index) => ({
      text,
      box: { left: left + index * each, right: left + (index + 1) * each - 2, top, bottom: top + 12 },
      baseline: top + 10,
      style,
    })),
  );
  return { name, box: row.box, row };
}

const column = (name: string, left: number, right: number, top: number, count: number) =>
  Array.from({ length: count }, (_, index) => line(`${name}${index + 1}`, left, right, top + index * 13));

const table = (name: string, left: number, right: number, top: number, bottom: number) => ({
  name,
  box: { left, right, top, bottom },
});

const order = (items: (ReturnType<typeof line> | ReturnType<typeof table>)[]) =>
  readingOrder(items)
    .flat()
    .map((item) => item.name)
    .join(' ');

test('two columns between full lines', () => {
  const items = [
    line('head', 50, 550, 40),
    ...column('l', 50, 290, 70, 4),
    ...column('r', 310, 550, 72, 4),
    line('foot', 50, 550, 140),
  ];
  expect(order(items)).toBe('head l1 l2 l3 l4 r1 r2 r3 r4 foot');
});

test('three columns', () => {
  const items = [
    ...column('a', 50, 200, 70, 4),
    ...column('b', 220, 370, 70, 4),
    ...column('c', 390, 550, 70, 4),
  ];
  expect(order(items)).toBe('a1 a2 a3 a4 b1 b2 b3 b4 c1 c2 c3 c4');
});

test('a short line below level columns comes after both', () => {
  const items = [...column('l', 50, 290, 70, 4), ...column('r', 310, 550, 70, 4), line('next', 50, 200, 150)];
  expect(order(items)).toBe('l1 l2 l3 l4 r1 r2 r3 r4 next');
});

test('the first column may be longer than the last', () => {
  const items = [...column('l', 50, 290, 70, 8), ...column('r', 310, 550, 70, 4)];
  expect(order(items)).toBe('l1 l2 l3 l4 l5 l6 l7 l8 r1 r2 r3 r4');
});

test('a note in the left margin is read after the text beside it', () => {
  const items = [...column('t', 160, 550, 70, 8), ...column('n', 40, 145, 98, 2)];
  expect(order(items)).toBe('t1 t2 t3 t4 t5 t6 t7 t8 n1 n2');
});

test('a table between columns that begin again below it, even if it is narrow', () => {
  const items = [
    ...column('l', 50, 290, 70, 5),
    ...column('r', 310, 550, 70, 6),
    line('caption', 50, 250, 160),
    table('table', 50, 295, 175, 260),
    ...column('m', 50, 290, 270, 5),
    ...column('s', 310, 550, 268, 5),
  ];
  expect(order(items)).toBe('l1 l2 l3 l4 l5 r1 r2 r3 r4 r5 r6 caption table m1 m2 m3 m4 m5 s1 s2 s3 s4 s5');
});

test('a table beside the text of the other column stays in its own', () => {
  const items = [
    ...column('l', 50, 290, 70, 4),
    table('table', 50, 290, 130, 200),
    ...column('m', 50, 290, 210, 4),
    ...column('r', 310, 550, 70, 15),
  ];
  expect(order(items)).toBe(
    `l1 l2 l3 l4 table m1 m2 m3 m4 ${Array.from({ length: 15 }, (_, at) => `r${at + 1}`).join(' ')}`,
  );
});

test('the last line of a paragraph above columns, and wide spaces in justified text', () => {
  const wide = line('r1', 310, 550, 70);
  const parts = wide.row.words.map((word) => ({
    name: word.text,
    box: { ...word.box, right: word.box.right - 8 },
    row: { ...wide.row, words: [word], box: word.box },
  }));
  const items = [
    line('end', 50, 340, 55),
    ...parts,
    ...column('r', 310, 550, 83, 5),
    ...column('l', 50, 290, 74, 6),
  ];
  expect(order(items)).toBe('end l1 l2 l3 l4 l5 l6 lorem ipsum dolor sit r1 r1 r2 r3 r4 r5');
});

test('on scans a line of low letters belongs to the column above it', () => {
  const items = [...column('l', 50, 290, 70, 5), ...column('r', 310, 550, 64, 4)];
  const scanned = items.map((item, number) => {
    const low = item.name === 'l5';
    const box = { ...item.box, top: item.box.top + (low ? 6 : 2), bottom: item.box.bottom - 2 };
    const words = item.row.words.map((word) => ({ ...word, line: number }));
    return { ...item, box, row: { ...item.row, words, box } };
  });
  expect(order(scanned)).toBe('l1 l2 l3 l4 l5 r1 r2 r3 r4');
});

import type { TableCell, TableCells } from '../../../src/documents/element.ts';
import { noScore, type Score } from './scores.ts';
import { normalise, similarity } from './text.ts';

const alike = 0.8;

/** Pairs each true table with the found one that shares the most words with it. */
export function pairTables(
  expected: TableCells[],
  found: TableCells[],
): { expected?: TableCells; found?: TableCells }[] {
  const candidates = expected
    .flatMap((table) => found.map((other) => ({ table, other, shared: sharedWords(table, other) })))
    .filter((pair) => pair.shared > 0)
    .sort((a, b) => b.shared - a.shared);
  const partners = new Map<TableCells, TableCells>();
  const taken = new Set<TableCells>();
  for (const { table, other } of candidates) {
    if (partners.has(table) || taken.has(other)) continue;
    partners.set(table, other);
    taken.add(other);
  }
  return [
    ...expected.map((table) => ({ expected: table, found: partners.get(table) })),
    ...found.filter((table) => !taken.has(table)).map((table) => ({ found: table })),
  ];
}

/** A cell is correct if one with similar text begins in the same row and column. Empty cells don't count. */
export function compareCells(expected: TableCells | undefined, found: TableCells | undefined): Score {
  const wanted = filled(expected);
  const given = new Map(filled(found).map((cell) => [`${cell.row},${cell.column}`, cell.text]));
  if (wanted.length + given.size === 0) return noScore;
  const correct = wanted.filter((cell) => {
    const text = given.get(`${cell.row},${cell.column}`);
    return text !== undefined && similarity(cell.text, text) >= alike;
  });
  return { expected: wanted.length, found: given.size, correct: correct.length };
}

const filled = (table: TableCells | undefined): TableCell[] =>
  table?.cells.filter((cell) => normalise(cell.text) !== '') ?? [];

function sharedWords(a: TableCells, b: TableCells): number {
  const words = (table: TableCells) =>
    table.cells.flatMap((cell) => normalise(cell.text).toLowerCase().split(' ').filter(Boolean));
  const counts = new Map<string, number>();
  for (const word of words(a)) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of words(b)) {
    const left = counts.get(word) ?? 0;
    if (left > 0) shared += 1;
    counts.set(word, left - 1);
  }
  return shared;
}

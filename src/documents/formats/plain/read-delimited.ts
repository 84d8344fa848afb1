import type { Draft } from '../../drafts/draft.ts';
import { Unreadable } from '../../unreadable.ts';
import type { FormatInput } from '../format-input.ts';
import { readText } from '../read-text.ts';
import { tablePieces } from '../table-pieces.ts';

const delimiters = [',', ';', '\t', '|'];
const mostColumns = 16_384;

export async function* readCsv(input: FormatInput): AsyncGenerator<Draft> {
  const text = await readText(input);
  yield* tablePieces(recordsOf(text, delimiterOf(text)));
}

export async function* readTsv(input: FormatInput): AsyncGenerator<Draft> {
  yield* tablePieces(recordsOf(await readText(input), '\t'));
}

/** The delimiter with which the first lines have the most columns, all the same number. */
export function delimiterOf(text: string): string {
  const lines = text.slice(0, 20_000).split('\n').slice(0, 12).filter(Boolean);
  const scored = delimiters.map((delimiter) => {
    const counts = lines.map((line) => line.replace(/"(?:[^"]|"")*"/g, '').split(delimiter).length - 1);
    const even = counts.every((count) => count === counts[0]);
    return { delimiter, score: (counts[0] ?? 0) * (even ? 10 : 1) };
  });
  return scored.reduce((best, it) => (it.score > best.score ? it : best)).delimiter;
}

/** The records of RFC 4180 text. A quote within a bare field is a character like any other. */
export function* recordsOf(text: string, delimiter: string): Generator<string[]> {
  let record: string[] = [];
  let at = 0;
  while (at < text.length) {
    let field: string;
    if (text[at] === '"') [field, at] = quoted(text, at + 1, delimiter);
    else {
      const end = fieldEnd(text, at, delimiter);
      field = text.slice(at, end);
      at = end;
    }
    record.push(field.trim());
    if (record.length > mostColumns) {
      throw new Unreadable('too large', `The table has more than ${mostColumns} columns.`);
    }
    if (text[at] === delimiter) {
      at++;
      if (at === text.length) record.push('');
      else continue;
    }
    if (record.some((it) => it !== '')) yield record;
    record = [];
    at++;
  }
}

function fieldEnd(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++;
  return at;
}

function quoted(text: string, from: number, delimiter: string): [string, number] {
  const parts: string[] = [];
  let start = from;
  for (;;) {
    const quote = text.indexOf('"', start);
    if (quote < 0) return [parts.join('') + text.slice(start), text.length];
    parts.push(text.slice(start, quote));
    if (text[quote + 1] !== '"') {
      const end = fieldEnd(text, quote + 1, delimiter);
      return [parts.join('') + text.slice(quote + 1, end), end];
    }
    parts.push('"');
    start = quote + 2;
  }
}

import type { Passage, PassageSegment } from '../../contracts/retrieval.ts';
import { sentences } from '../../documents/text/sentences.ts';
import { addressesModel } from './addresses-model.ts';
import { tableRows } from './table-rows.ts';
import { termsOf } from './terms.ts';

/** A piece of a passage that can be quoted: it lies in one segment. */
export interface Quotable {
  passage: Passage;
  segment: PassageSegment;
  /** Offsets in the passage's text. */
  start: number;
  end: number;
  terms: string[];
  /** Its place among the sentences of the passage. */
  position: number;
  /** A row of a table, as `Header: cell; …`. */
  row?: string;
}

/** Longer ones are usually lists of words, or text without punctuation. */
const longest = 600;

/** The sentences and table rows of a passage, each within one segment. */
export function quotables(passage: Passage): Quotable[] {
  const found: Quotable[] = [];
  const add = (segment: PassageSegment, start: number, end: number, row?: string) => {
    const terms = termsOf(passage.text.slice(start, end));
    if (terms.length === 0) return;
    const position = found.length;
    found.push({ passage, segment, start, end, terms, position, ...(row === undefined ? {} : { row }) });
  };
  for (const segment of passage.segments) {
    const rows = tableRows(passage, segment);
    if (rows.length > 0) for (const { start, end, shown } of rows) add(segment, start, end, shown);
    else {
      for (const [start, end] of sentenceSpans(passage.text, segment)) {
        // What follows in the same piece is part of the same address.
        if (addressesModel(passage.text.slice(start, end))) break;
        add(segment, start, end);
      }
    }
  }
  return found;
}

export const textOf = ({ passage, start, end }: Pick<Quotable, 'passage' | 'start' | 'end'>): string =>
  passage.text.slice(start, end);

function* sentenceSpans(text: string, { start, end }: PassageSegment): Generator<[number, number]> {
  let at = Math.max(0, start);
  for (const sentence of sentences(text.slice(at, Math.min(end, text.length)))) {
    const lead = sentence.length - sentence.trimStart().length;
    const trimmed = sentence.trim();
    yield* pieces(trimmed, at + lead);
    at += sentence.length;
  }
}

/** Cuts a sentence that is too long to be a quote between words. */
function* pieces(sentence: string, start: number): Generator<[number, number]> {
  let from = 0;
  while (sentence.length - from > longest) {
    const space = sentence.lastIndexOf(' ', from + longest);
    const cut = space > from ? space : from + longest;
    yield [start + from, start + cut];
    from = space > from ? cut + 1 : cut;
  }
  if (sentence.length > from) yield [start + from, start + sentence.length];
}

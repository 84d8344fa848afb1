import type { Passage } from '../../contracts/retrieval.ts';
import { type Quotable, quotables } from '../citing/sentences.ts';

const most = 3;
const quotations = /[“«„"]([^“”«»„"\n]{3,200})[”»“"]/gu;
const number = /^(?:[§№#]?\s*\d+(?:\.\d+)*[.)]?|[ivxlc]+[.)])\s+/iu;

/**
 * The beginning of the section whose heading the question quotes, as example questions do. Undefined if it quotes none:
 * then the words of the question say more.
 */
export function namedSection(question: string, passages: readonly Passage[]): Quotable[] | undefined {
  for (const [, name = ''] of question.matchAll(quotations)) {
    for (const passage of passages) {
      const pieces = quotables(passage);
      const heading = pieces.findLastIndex((piece) => keysOf(piece).includes(key(name)));
      const found = heading < 0 ? [] : sectionAfter(heading, pieces);
      if (found.length > 0) return found;
    }
  }
  return undefined;
}

function sectionAfter(heading: number, pieces: readonly Quotable[]): Quotable[] {
  const found: Quotable[] = [];
  for (const piece of pieces.slice(heading + 1)) {
    if (found.length === most) break;
    if (!isHeading(piece)) found.push(piece);
    else if (found.length > 0) break;
  }
  return found;
}

/** Whether a piece is a heading of its document, and so answers nothing. */
export function isHeading(piece: Quotable): boolean {
  if (piece.row !== undefined) return false;
  const { headings, document } = piece.passage;
  const keys = keysOf(piece);
  if ([document.title, ...headings].some((heading) => keys.includes(key(heading)))) return true;
  const [, whole = ''] = keys;
  return whole.length <= 80 && !/[\p{N}.!?:;,…]/u.test(whole);
}

/** A piece, and the whole paragraph that it is in: "2. Parking" is split after its number. */
const keysOf = ({ passage, segment, start, end }: Quotable) => [
  key(passage.text.slice(start, end)),
  key(passage.text.slice(segment.start, segment.end)),
];

const key = (text: string) =>
  text.normalize('NFKC').replace(/\s+/gu, ' ').trim().replace(number, '').toLowerCase();

import type { PassageSegment } from '../../../contracts/retrieval.ts';
import { separator, shownText } from '../../../documents/chunking/sections.ts';
import type { DocumentElement, Region } from '../../../documents/element.ts';

/** A part of an element that stands on one page, with its offsets in the section's text. */
type Piece = PassageSegment;

/**
 * Finds where the chunks of a section stand on their pages. The chunks of one section share their elements and come in
 * order, and their texts are parts of the section's text.
 */
export function locateSections(): (elements: readonly DocumentElement[], text: string) => PassageSegment[] {
  let current: readonly DocumentElement[] | undefined;
  let [whole, pieces, cursor]: [string, Piece[], number] = ['', [], 0];
  return (elements, text) => {
    if (elements !== current) {
      current = elements;
      [whole, pieces, cursor] = [...layOut(elements), 0];
    }
    const start = whole.indexOf(text, cursor);
    // Every chunk is a part of its section; a change of the chunker that breaks this must not produce wrong pages.
    if (start < 0) return [];
    const end = start + text.length;
    cursor = end;
    return pieces.flatMap((piece) => cut(piece, whole, start, end));
  };
}

/** The section's text as the chunker builds it, and where each part of it stands. */
function layOut(elements: readonly DocumentElement[]): [string, Piece[]] {
  const texts: string[] = [];
  const pieces: Piece[] = [];
  let at = 0;
  for (const element of elements) {
    const text = shownText(element);
    if (text === '') continue;
    if (texts.length > 0) at += separator.length;
    texts.push(text);
    for (const piece of piecesOf(element, text)) {
      pieces.push({ ...piece, start: piece.start + at, end: piece.end + at });
    }
    at += text.length;
  }
  return [texts.join(separator), pieces];
}

function piecesOf(element: DocumentElement, text: string): Piece[] {
  const [first, ...rest] = element.regions;
  const pieces: Piece[] = [
    {
      start: 0,
      end: text.length,
      page: first?.page ?? element.page ?? null,
      boxes: first ? [boxOf(first)] : [],
    },
  ];
  for (const region of rest) {
    const last = pieces.at(-1) as Piece;
    const start = region.start === undefined ? undefined : shownOffset(element, region.start);
    if (start === undefined || start <= last.start || start >= text.length) last.boxes.push(boxOf(region));
    else {
      last.end = start;
      pieces.push({ start, end: text.length, page: region.page, boxes: [boxOf(region)] });
    }
  }
  return pieces;
}

/** The chunker turns white space into single spaces, which moves what follows. */
function shownOffset({ kind, text }: DocumentElement, offset: number): number {
  if (kind === 'CodeSnippet') return offset;
  return text.slice(0, offset).replace(/\s+/gu, ' ').trimStart().length;
}

const rounded = (value: number) => Math.round(value * 10) / 10;

export const boxOf = ({ page, box }: Region): PassageSegment['boxes'][number] => ({
  page,
  left: rounded(box.left),
  top: rounded(box.top),
  right: rounded(box.right),
  bottom: rounded(box.bottom),
});

/** The part of a piece that is inside the chunk, without white space at its ends. */
function cut(piece: Piece, whole: string, from: number, to: number): PassageSegment[] {
  let start = Math.max(piece.start, from);
  let end = Math.min(piece.end, to);
  while (start < end && isSpace(whole, start)) start++;
  while (end > start && isSpace(whole, end - 1)) end--;
  return start < end ? [{ ...piece, start: start - from, end: end - from }] : [];
}

const isSpace = (text: string, at: number) => /\s/u.test(text[at] ?? '');

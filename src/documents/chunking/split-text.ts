import { sentences } from '../text/sentences.ts';

export interface SplitLimits {
  most: number;
  overlap: number;
  sentences?: boolean;
}

/** The parts of a text, none longer than `most`; each repeats up to `overlap` characters of the one before. */
export function* splitText(text: string, limits: SplitLimits): Generator<string> {
  let rest = text;
  while (rest !== '') {
    const [part, next] = splitOnce(rest, limits);
    yield part;
    rest = next;
  }
}

/** Splits off as much as fits. A separator at the split is dropped; without one, it splits between characters. */
export function splitOnce(text: string, limits: SplitLimits): [string, string] {
  const { most, overlap } = limits;
  if (text.length <= most) return [text, ''];
  for (const at of candidates(text, limits)) {
    const part = text.slice(0, at).trimEnd();
    const rest = text.slice(at).trimStart();
    // The separator counts as one character of the overlap.
    const tail = overlap > 1 ? wholeTail(part, overlap - 1).trimStart() : '';
    const next = tail === '' ? rest : `${tail} ${rest}`;
    if (part !== '' && next.length < text.length) return [part, next.trimStart()];
  }
  const end = wholeEnd(text, most);
  const from = Math.max(wholeEnd(text, end - overlap), 1);
  return [text.slice(0, end).trimEnd(), text.slice(overlap > 0 && from < end ? from : end).trimStart()];
}

/** Places to split at, the best first. A split within the overlap would never come to an end. */
function* candidates(text: string, { most, overlap, sentences: bySentence }: SplitLimits): Generator<number> {
  if (bySentence) {
    const end = sentenceEnd(text, most);
    if (end > Math.max(overlap, most / 3)) yield end;
  }
  for (const separator of ['\n', ' ']) {
    const at = text.lastIndexOf(separator, most);
    if (at > overlap) yield at;
  }
}

function sentenceEnd(text: string, most: number): number {
  let end = 0;
  for (const sentence of sentences(text.slice(0, most + 1))) {
    const next = end + sentence.length;
    if (next > most) break;
    end = next;
  }
  return end;
}

const isLowSurrogate = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00;

/** `end`, or one less where a character of two units would be cut; a first character stays whole even if it is too long. */
function wholeEnd(text: string, end: number): number {
  if (end <= 0 || end >= text.length || !isLowSurrogate(text, end)) return Math.max(end, 0);
  return end === 1 ? 2 : end - 1;
}

export function wholeTail(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  return text.slice(isLowSurrogate(text, start) ? start + 1 : start);
}

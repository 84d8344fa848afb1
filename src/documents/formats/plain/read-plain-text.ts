import type { Draft } from '../../drafts/draft.ts';
import { classifyText, isBulleted, isNumbered, withoutBullet } from '../../text/classify-text.ts';
import type { FormatInput } from '../format-input.ts';
import { readText } from '../read-text.ts';

/** Longer paragraphs, such as a file of one line, are given in pieces of this length. */
const longestParagraph = 1 << 20;

export async function* readPlainText(input: FormatInput): AsyncGenerator<Draft> {
  yield* textDrafts(await readText(input));
}

/** Paragraphs of plain text: blank lines separate them, lines within belong together unless they are list items. */
export function* textDrafts(text: string): Generator<Draft> {
  for (const block of blocksOf(text)) {
    const lines = block.split('\n').map((line) => line.trimEnd());
    let paragraph: string[] = [];
    let depth = -1;
    for (const line of lines) {
      const shown = line.trim();
      const item = isBulleted(shown) || isNumbered(shown);
      if (item || separate(lines)) {
        yield* draftOf(paragraph, depth);
        paragraph = [];
        depth = item ? Math.floor((line.length - line.trimStart().length) / 2) : -1;
      }
      paragraph.push(shown);
    }
    yield* draftOf(paragraph, depth);
  }
}

function* blocksOf(text: string): Generator<string> {
  let start = 0;
  for (const gap of text.matchAll(/\n[ \t]*\n\s*?(?=[^\n]|$)|\f/g)) {
    yield text.slice(start, gap.index);
    start = gap.index + gap[0].length;
  }
  yield text.slice(start);
}

/** Lines that are paragraphs of their own: nearly all of them are long, or end a sentence. */
function separate(lines: string[]): boolean {
  if (lines.length < 2) return false;
  return lines.every((line) => line.length > 160);
}

function* draftOf(lines: string[], depth: number): Generator<Draft> {
  const text = lines
    .join(' ')
    .replace(/[ \t\u00a0]+/g, ' ')
    .trim();
  if (text === '') return;
  if (depth >= 0) {
    yield { kind: 'ListItem', text: withoutBullet(text), depth: Math.min(depth, 20) };
    return;
  }
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + longestParagraph, text.length);
    if (end < text.length && text.charCodeAt(end) >= 0xdc00 && text.charCodeAt(end) < 0xe000) end--;
    const piece = text.slice(at, end);
    const kind = classifyText(
      piece,
      /[a-z]/i.test(piece) && !/[^\p{ASCII}\p{P}]/u.test(piece.slice(0, 2_000)) ? ['eng'] : [],
    );
    yield { kind, text: piece, ...(kind === 'Title' && { depth: 0 }) };
    at = end;
  }
}

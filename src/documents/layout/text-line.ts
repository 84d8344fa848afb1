import type { Run, TextLine, Word } from './page-content.ts';
import type { Row } from './rows.ts';

/** Words that nearly touch are parts of one, such as a bold word and the comma after it. */
const joinGap = 0.08;

export function toLine(row: Row): TextLine {
  const letters = row.words.filter((word) => /[\p{L}\p{N}]/u.test(word.text));
  const telling = letters.length > 0 ? letters : row.words;
  const main = heaviest(telling);
  return {
    box: row.box,
    baseline: row.baseline,
    size: row.size,
    bold: telling.every((word) => word.style.bold),
    italic: telling.every((word) => word.style.italic),
    mono: telling.every((word) => word.style.mono),
    font: main.style.font,
    runs: runsOf(row.words),
  };
}

function heaviest(words: Word[]): Word {
  return words.reduce((best, word) => (word.text.length > best.text.length ? word : best));
}

function runsOf(words: Word[]): Run[] {
  const runs: Run[] = [];
  let previous: Word | undefined;
  for (const word of words) {
    const space = previous && needsSpace(previous, word) ? ' ' : '';
    const last = runs.at(-1);
    if (last && sameLook(last, word)) last.text += space + word.text;
    else {
      if (last) last.text += space;
      runs.push(runOf(word));
    }
    previous = word;
  }
  return runs;
}

function needsSpace(left: Word, right: Word): boolean {
  // OCR knows words better than their places: boxes of one-letter words often touch others.
  if (left.line !== undefined && left.line === right.line) return true;
  const size = Math.min(left.style.size, right.style.size);
  return right.box.left - left.box.right > joinGap * size || right.box.left < left.box.left;
}

const sameLook = (run: Run, word: Word) =>
  Boolean(run.bold) === word.style.bold &&
  Boolean(run.italic) === word.style.italic &&
  run.link === word.link;

function runOf(word: Word): Run {
  const run: Run = { text: word.text };
  if (word.style.bold) run.bold = true;
  if (word.style.italic) run.italic = true;
  if (word.link !== undefined) run.link = word.link;
  return run;
}

export const lineText = (line: TextLine): string => line.runs.map((run) => run.text).join('');

import { median, union } from '../geometry.ts';
import type { Word } from '../page-content.ts';
import { type Row, toRow } from '../rows.ts';

/** Fewer single letters in a row may be initials or variables. */
const fewest = 5;

/** Joins words that are set with spaces between their letters: "Г Л А В А" becomes "ГЛАВА". */
export function joinSpacedLetters(row: Row): Row {
  const words: Word[] = [];
  for (let index = 0; index < row.words.length; ) {
    const run = singleLetters(row.words, index);
    words.push(...(run.length >= fewest ? joinRun(run) : run));
    index += Math.max(1, run.length);
    if (run.length === 0) words.push(row.words[index - 1] as Word);
  }
  return words.length === row.words.length ? row : toRow(words);
}

function singleLetters(words: Word[], from: number): Word[] {
  const run: Word[] = [];
  for (const word of words.slice(from)) {
    if (!/^\p{L}[,.:;!?»)]?$/u.test(word.text)) break;
    run.push(word);
  }
  return run;
}

/** A gap much wider than the usual one separates words. */
function joinRun(run: Word[]): Word[] {
  const gaps = run.slice(1).map((word, index) => word.box.left - (run[index]?.box.right ?? 0));
  const usual = median(gaps);
  const groups: Word[][] = [[run[0] as Word]];
  run.slice(1).forEach((word, index) => {
    if ((gaps[index] as number) > usual * 1.6 + 0.1 * word.style.size) groups.push([]);
    groups.at(-1)?.push(word);
  });
  return groups.map((letters) => ({
    ...(letters[0] as Word),
    text: letters.map((letter) => letter.text).join(''),
    box: union(letters.map((letter) => letter.box)),
  }));
}

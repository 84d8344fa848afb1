import type { Word } from '../../layout/page-content.ts';

/** What OCR makes of bullets: some are never words, others only before a wide gap. */
const never = /^[¢©®°*•·●○◦■▪»>+~=]$/u;
const maybe = /^[oоeеOО0]$/u;
/** In font sizes; a space between words is a quarter, and up to three quarters where lines are justified. */
const wideGap = 0.8;
/** How far above the baseline a bullet may end, in font sizes. */
const raised = 0.34;

/** Gives the first word of a line its bullet, or the full stop after its number, back. */
export function bulletFirst(line: Word[]): Word[] {
  const [first, second] = line.toSorted((a, b) => a.box.left - b.box.left);
  if (!first) return line;
  // A full stop that is read as another sign.
  const number = /^(\d{1,2})[,:;]$/.exec(first.text)?.[1];
  if (number) return line.map((word) => (word === first ? { ...word, text: `${number}.` } : word));
  const glued = /^(\d{1,2})(\p{Lu}\p{Ll}{2,})$/u.exec(first.text);
  if (glued) return line.flatMap((word) => (word === first ? splitMarker(word, glued) : word));
  if (!second) return line;
  // A sign that is raised marks a footnote.
  if ((first.baseline - first.box.bottom) / first.style.size > raised) return line;
  const gap = (second.box.left - first.box.right) / first.style.size;
  if (!never.test(first.text) && !(maybe.test(first.text) && gap > wideGap)) return line;
  return line.map((word) => (word === first ? { ...word, text: '•' } : word));
}

/** "2Записать": the full stop and the space after a number are lost. */
function splitMarker(word: Word, [all, number = '', text = '']: RegExpExecArray): Word[] {
  const edge = word.box.left + ((word.box.right - word.box.left) * number.length) / all.length;
  return [
    { ...word, text: `${number}.`, box: { ...word.box, right: edge } },
    { ...word, text, box: { ...word.box, left: edge } },
  ];
}

/** Cyrillic letters that are read as digits, by the marker that comes before them in a list. */
const afterLetter = new Map([
  ['а', { digit: '6', letter: 'б' }],
  ['ж', { digit: '3', letter: 'з' }],
]);

/** Between а) and в), OCR reads б) as 6). Lines are given from top to bottom. */
export function repairLetterMarkers(lines: Word[][]): Word[][] {
  let previous = '';
  return lines.map((line) => {
    const first = line[0];
    const [, sign, end] = /^([а-я\d])([.)])$/.exec(first?.text ?? '') ?? [];
    if (!first || sign === undefined) return line;
    const expected = afterLetter.get(previous);
    const letter = expected?.digit === sign ? expected.letter : sign;
    previous = letter;
    return letter === sign ? line : [{ ...first, text: `${letter}${end}` }, ...line.slice(1)];
  });
}

import type { Word } from '../layout/page-content.ts';

/** What OCR makes of bullets: some are never words, others only before a wide gap. */
const never = /^[¢©®°*•·●○◦■▪»>+~=]$/u;
const maybe = /^[oоeеOО0]$/u;
/** In font sizes; a space between words is a quarter, and up to three quarters where lines are justified. */
const wideGap = 0.8;

/** Gives the first word of a line its bullet, or the full stop after its number, back. */
export function bulletFirst(line: Word[]): Word[] {
  const [first, second] = line.toSorted((a, b) => a.box.left - b.box.left);
  if (!first) return line;
  // A full stop that is read as another sign.
  const number = /^(\d{1,2})[,:;]$/.exec(first.text)?.[1];
  if (number) return line.map((word) => (word === first ? { ...word, text: `${number}.` } : word));
  if (!second) return line;
  const gap = (second.box.left - first.box.right) / first.style.size;
  if (!never.test(first.text) && !(maybe.test(first.text) && gap > wideGap)) return line;
  return line.map((word) => (word === first ? { ...word, text: '•' } : word));
}

import type { Run } from '../content/block.ts';
import { cleanLine } from '../content/clean-text.ts';
import type { Budget } from '../limits.ts';
import { breakLines, type Line } from './break-lines.ts';
import { type Base, faint, leading, shade, styleOf } from './looks.ts';
import type { Measure } from './measure.ts';
import { type Piece, space } from './piece.ts';

/** A paragraph or heading, line by line. */
export function setText(
  runs: readonly Run[],
  base: Base,
  { width, gap, measure, tight = leading }: { width: number; gap: number; measure: Measure; tight?: number },
): Piece[] {
  const styled = runs.map((run) => ({ text: run.text, style: styleOf(run, base) }));
  const lines = breakLines(styled, width, measure);
  return lines.map((line, at) => ({
    gap: at === 0 ? gap : 0,
    height: tight * Math.max(line.size, 0.8 * base.size),
    // Not one line alone at the foot of a page, nor at the head of the next.
    ...((at === 0 || at === lines.length - 2) && lines.length > 1 && { keep: true }),
    draw: (canvas, left, top) => drawLine(line, { canvas, left, top, height: tight * line.size }),
  }));
}

type LinePlace = { canvas: Parameters<Piece['draw']>[0]; left: number; top: number; height: number };

function drawLine({ fragments, size }: Line, { canvas, left, top, height }: LinePlace): void {
  const baseline = top + (height - size) / 2 + 0.82 * size;
  for (const { text, style, left: at, width } of fragments)
    canvas.text(text, style, { left: left + at, baseline, width });
}

const padding = 6;
const largest = 9;
const smallest = 6.5;
/** Width of a character of the mono font, for its size. */
export const monoWidth = 0.602;

/** Code: white space as it is, long lines in smaller letters or broken. */
export function setCode(
  text: string,
  { width, gap, size }: { width: number; gap: number; size: number },
): Piece[] {
  const lines = text.split('\n');
  const room = width - 2 * padding;
  const longest = lines.reduce((most, line) => Math.max(most, line.length), 1);
  const letters = Math.max(smallest, Math.min(largest, size * 0.9, room / (longest * monoWidth)));
  const perLine = Math.max(1, Math.floor(room / (letters * monoWidth)));
  const style = { size: letters, mono: true, colour: styleOf({ text: '' }, { size }).colour };
  const height = letters * 1.3;
  const shaded = (content: string, part: number): Piece => ({
    gap: 0,
    height: part,
    draw(canvas, left, top) {
      canvas.fill(left, top, width, part, shade);
      if (content.trim() === '') return;
      const at = { left: left + padding, baseline: top + 0.98 * letters, width: 0 };
      canvas.text(content.trimEnd(), style, at);
    },
  });
  const pieces = lines.flatMap((line) => slices(line, perLine).map((part) => shaded(part, height)));
  return [{ ...shaded('', padding), gap, keep: true }, ...pieces, shaded('', padding), space(0.4 * size)];
}

function slices(line: string, length: number): string[] {
  if (line.length <= length) return [line];
  const letters = [...line];
  const parts: string[] = [];
  for (let at = 0; at < letters.length; at += length) parts.push(letters.slice(at, at + length).join(''));
  return parts;
}

/** The way to the page, above its title. */
export function setPath(
  path: readonly string[],
  width: number,
  { measure, budget }: { measure: Measure; budget: Budget },
): Piece[] {
  const steps = path.map(cleanLine).filter((step) => step !== '');
  for (const step of steps) budget.spend(step);
  return setText([{ text: steps.join(' › ') }], { size: 9, colour: faint }, { width, gap: 0, measure });
}

import type { Run, Tone } from '../content/block.ts';
import type { Colour, TextStyle } from '../file/page-canvas.ts';

/** A4, in points. */
export const page = { width: 595, height: 842, side: 54, top: 54, bottom: 60 };
export const frame = { width: page.width - 2 * page.side, height: page.height - page.top - page.bottom };

export const ink: Colour = [0.13, 0.15, 0.19];
export const faint: Colour = [0.42, 0.45, 0.5];
const linkInk: Colour = [0.05, 0.33, 0.71];
export const ruleInk: Colour = [0.72, 0.75, 0.79];
export const shade: Colour = [0.955, 0.96, 0.968];

export const bodySize = 10;
export const leading = 1.42;
/** By level, from 1. The title of the page is of level 0. */
const headingSizes = [19, 16, 14, 12.6, 11.6, 11.5, 11.5];
export const headingSize = (level: number): number => headingSizes[level] ?? 11.5;

export const tones: Record<Tone, { bar: Colour; fill: Colour | undefined }> = {
  information: { bar: [0.16, 0.42, 0.8], fill: [0.935, 0.955, 0.99] },
  tip: { bar: [0.12, 0.55, 0.3], fill: [0.93, 0.975, 0.945] },
  note: { bar: [0.85, 0.62, 0.05], fill: [0.995, 0.97, 0.905] },
  warning: { bar: [0.8, 0.2, 0.16], fill: [0.995, 0.94, 0.935] },
  plain: { bar: [0.72, 0.75, 0.79], fill: [0.965, 0.97, 0.975] },
  quote: { bar: [0.72, 0.75, 0.79], fill: undefined },
};

export interface Base {
  size: number;
  colour?: Colour;
  bold?: boolean;
  italic?: boolean;
}

/** How a run looks in text of this size. */
export function styleOf(run: Run, { size, colour = ink, bold, italic }: Base): TextStyle {
  const small = run.raised ? 0.72 : run.mono ? 0.92 : 1;
  return {
    size: size * small,
    colour: run.link ? linkInk : colour,
    ...((run.bold || bold) && { bold: true }),
    ...((run.italic || italic) && { italic: true }),
    ...(run.mono && { mono: true }),
    ...(run.underline && { underline: true }),
    ...(run.strike && { strike: true }),
    ...(run.raised && { raise: run.raised === 'up' ? 0.33 * size : -0.15 * size }),
    ...(run.link && { link: run.link }),
  };
}

import type { Box } from '../../element.ts';
import { height, middleY } from '../geometry.ts';
import type { Word } from '../page-content.ts';

export interface DrawnDot {
  box: Box;
  hollow: boolean;
  square: boolean;
}

/** Browsers draw list bullets as shapes. Those just before a line become words. */
export function bulletWords(dots: DrawnDot[], words: Word[]): Word[] {
  const found: Word[] = [];
  for (const dot of dots) {
    const line = words.filter((word) => {
      const inside = Math.abs(middleY(dot.box) - middleY(word.box)) < 0.35 * height(word.box);
      return inside && word.box.right > dot.box.left - 3 * word.style.size;
    });
    const next = line
      .filter((word) => word.box.left > dot.box.right - 1)
      .reduce<Word | undefined>(
        (best, word) => (best && best.box.left < word.box.left ? best : word),
        undefined,
      );
    if (!next || next.box.left - dot.box.right > 2.5 * next.style.size) continue;
    // A dot right after a word is part of a drawing or of the text, not a bullet.
    if (
      line.some(
        (word) => word.box.right <= dot.box.right && word.box.right > dot.box.left - 3 * word.style.size,
      )
    )
      continue;
    const shape = dot.square ? '▪' : dot.hollow ? '◦' : '•';
    const style = { ...next.style, bold: false, italic: false };
    found.push({ text: shape, box: dot.box, baseline: next.baseline, style });
  }
  return found;
}

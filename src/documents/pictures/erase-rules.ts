import type { Box } from '../element.ts';
import type { Picture } from './picture.ts';

/** A copy of a grey picture in which lines are painted over: at the edge of a word, OCR takes them for letters. */
export function eraseRules(grey: Picture, rules: Box[]): Picture {
  const pixels = grey.pixels.slice();
  for (const rule of rules) {
    const left = Math.max(0, Math.floor(rule.left) - 2);
    const right = Math.min(grey.width, Math.ceil(rule.right) + 2);
    for (
      let row = Math.max(0, Math.floor(rule.top) - 2);
      row < Math.min(grey.height, Math.ceil(rule.bottom) + 2);
      row += 1
    )
      pixels.fill(255, row * grey.width + left, row * grey.width + right);
  }
  return { ...grey, pixels };
}

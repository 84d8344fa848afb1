import type { Box } from '../../element.ts';
import { shared, union } from '../../layout/geometry.ts';

/** Pieces of one line are closer than this, in heights; columns and cells are further apart. */
const closest = 0.4;
/** How much of the lower piece's height both share, and how much lower it may be. */
const [level, alike] = [0.6, 0.6];

/** The detector breaks justified lines at wide spaces. Pieces that are read alone lose their case and their place. */
export function joinPieces(lines: Box[], rules: Box[]): Box[] {
  const joined: Box[] = [];
  for (const line of lines.toSorted((a, b) => a.left - b.left)) {
    const at = joined.findIndex((one) => isContinued(one, line, rules));
    if (at < 0) joined.push(line);
    else joined[at] = union([joined[at] as Box, line]);
  }
  return joined;
}

function isContinued(one: Box, next: Box, rules: Box[]): boolean {
  const [height, nextHeight] = [one.bottom - one.top, next.bottom - next.top];
  const [less, more] = [Math.min(height, nextHeight), Math.max(height, nextHeight)];
  if (less < alike * more || next.left - one.right > closest * less) return false;
  if (shared(one.top, one.bottom, next.top, next.bottom) < level * less) return false;
  const middle = (next.top + next.bottom) / 2;
  return !rules.some(
    (rule) =>
      rule.bottom - rule.top > rule.right - rule.left &&
      rule.top < middle &&
      rule.bottom > middle &&
      rule.right > one.right - 0.5 * height &&
      rule.left < next.left + 0.5 * height,
  );
}

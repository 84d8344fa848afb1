import type { Box } from '../../element.ts';
import { height, width } from '../geometry.ts';

/** A straight line: its position across, and where it begins and ends along. */
export interface RuleLine {
  at: number;
  from: number;
  to: number;
}

export interface RuleLines {
  horizontal: RuleLine[];
  vertical: RuleLine[];
}

const lineLimit = 4_000;

/** Sorts thin boxes into lines and joins pieces of one line, such as the borders of neighbouring cells. */
export function ruleLines(rules: Box[]): RuleLines {
  const flat = rules.filter((box) => width(box) >= height(box));
  const upright = rules.filter((box) => width(box) < height(box));
  return {
    horizontal: joinPieces(
      flat.map((box) => ({ at: (box.top + box.bottom) / 2, from: box.left, to: box.right })),
    ),
    vertical: joinPieces(
      upright.map((box) => ({ at: (box.left + box.right) / 2, from: box.top, to: box.bottom })),
    ),
  };
}

function joinPieces(lines: RuleLine[]): RuleLine[] {
  const joined: RuleLine[] = [];
  const sorted = lines.slice(0, lineLimit).toSorted((a, b) => a.at - b.at || a.from - b.from);
  for (const line of sorted) {
    const piece = joined
      .slice(-40)
      .findLast(
        (other) => line.at - other.at < 1.5 && line.from - other.to < 2.5 && other.from - line.to < 2.5,
      );
    if (piece) {
      piece.from = Math.min(piece.from, line.from);
      piece.to = Math.max(piece.to, line.to);
    } else joined.push({ ...line });
  }
  return joined;
}

/** Lines that touch each other belong to one drawing. */
export function connectedLines({ horizontal, vertical }: RuleLines): RuleLines[] {
  const parent = Array.from({ length: horizontal.length + vertical.length }, (_, index) => index);
  const root = (index: number): number => {
    let at = index;
    while (parent[at] !== at) at = parent[at] = parent[parent[at] as number] as number;
    return at;
  };
  horizontal.forEach((flat, row) => {
    vertical.forEach((upright, column) => {
      const touches =
        upright.at > flat.from - 2.5 &&
        upright.at < flat.to + 2.5 &&
        flat.at > upright.from - 2.5 &&
        flat.at < upright.to + 2.5;
      if (touches) parent[root(row)] = root(horizontal.length + column);
    });
  });
  const groups = new Map<number, RuleLines>();
  const group = (index: number) => {
    const key = root(index);
    const found = groups.get(key) ?? { horizontal: [], vertical: [] };
    groups.set(key, found);
    return found;
  };
  for (const [index, line] of horizontal.entries()) group(index).horizontal.push(line);
  for (const [index, line] of vertical.entries()) group(horizontal.length + index).vertical.push(line);
  return [...groups.values()];
}

/** Positions of lines, near ones counted as one. */
export function positions(values: number[], tolerance: number): number[] {
  const found: number[] = [];
  for (const value of values.toSorted((a, b) => a - b))
    if (found.length === 0 || value - (found.at(-1) as number) > tolerance) found.push(value);
  return found;
}

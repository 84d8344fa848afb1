import type { Score } from './scores.ts';
import { normalise, similarity } from './text.ts';

export interface OutlineEntry {
  text: string;
  depth?: number;
}

export interface OutlineScore extends Score {
  /** How many of the correct entries also have the right depth. */
  depths: number;
}

const alike = 0.8;

/** Compares headings, or list items. Entries match in order, by similar text; depths are counted separately. */
export function compareOutlines(expected: OutlineEntry[], found: OutlineEntry[]): OutlineScore {
  const wanted = expected.map((entry) => withoutMarker(entry.text));
  const given = found.map((entry) => withoutMarker(entry.text));
  const pairs = wanted
    .flatMap((text, at) => given.map((other, index) => ({ at, index, alike: likeness(text, other) })))
    .filter((pair) => pair.alike >= alike)
    .sort((a, b) => b.alike - a.alike || Math.abs(a.at - a.index) - Math.abs(b.at - b.index));
  const [takenExpected, takenFound] = [new Set<number>(), new Set<number>()];
  let depths = 0;
  for (const { at, index } of pairs) {
    if (takenExpected.has(at) || takenFound.has(index)) continue;
    takenExpected.add(at);
    takenFound.add(index);
    if ((expected[at]?.depth ?? 0) === (found[index]?.depth ?? 0)) depths += 1;
  }
  return { expected: expected.length, found: found.length, correct: takenExpected.size, depths };
}

/** Readers differ in whether the marker of a list item is part of its text. */
const withoutMarker = (text: string) =>
  normalise(text).replace(/^([•◦▪‣·●○■*–-]|\(?(\d+|[a-zа-я])[.)]|\d+(\.\d+)+\.?)\s+/iu, '');

function likeness(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  if (Math.abs(a.length - b.length) > (1 - alike) * longest) return 0;
  return similarity(a, b);
}

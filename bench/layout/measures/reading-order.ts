import { normalise } from './text.ts';

/**
 * Kendall's tau between the true order of texts and their order in what was read: 1 for the same order, −1 for the
 * reverse. A text is located by groups of words that occur once, so it may be split, or joined with another one.
 * Undefined if fewer than two texts can be located.
 */
export function readingOrder(expected: string[], found: string[]): number | undefined {
  const stream = found.flatMap(wordsOf);
  const truth = expected.map(wordsOf);
  const once = [3, 2, 1].map((size) => ({
    size,
    inTruth: countGroups(truth, size),
    places: placesOf(stream, size),
  }));
  const places = truth.map((words) => {
    for (const { size, inTruth, places } of once) {
      const located = groupsOf(words, size)
        .filter((group) => inTruth.get(group) === 1)
        .map((group) => places.get(group))
        .filter((place) => place !== undefined && place >= 0) as number[];
      if (located.length > 0) return middle(located);
    }
    return undefined;
  });
  return kendallTau(places.filter((place) => place !== undefined));
}

export function kendallTau(places: number[]): number | undefined {
  if (places.length < 2) return undefined;
  let balance = 0;
  for (let later = 1; later < places.length; later += 1)
    for (let earlier = 0; earlier < later; earlier += 1)
      balance += Math.sign((places[later] as number) - (places[earlier] as number));
  return balance / ((places.length * (places.length - 1)) / 2);
}

const wordsOf = (text: string) =>
  normalise(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const groupsOf = (words: string[], size: number) =>
  words.slice(0, Math.max(0, words.length - size + 1)).map((_, at) => words.slice(at, at + size).join(' '));

function countGroups(texts: string[][], size: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const words of texts)
    for (const group of groupsOf(words, size)) counts.set(group, (counts.get(group) ?? 0) + 1);
  return counts;
}

/** Where each group stands; −1 if it occurs more than once. */
function placesOf(words: string[], size: number): Map<string, number> {
  const places = new Map<string, number>();
  for (const [at, group] of groupsOf(words, size).entries()) places.set(group, places.has(group) ? -1 : at);
  return places;
}

const middle = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] as number;

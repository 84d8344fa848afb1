/** How quickly further occurrences of a term in the same text stop counting. */
const k1 = 0.9;
/** How much longer texts are weighed down. */
const b = 0.4;

/** What the occurrences of a term in a text contribute, before the term's own weight. */
export function occurrenceWeight(count: number, length: number, averageLength: number): number {
  return (count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / averageLength));
}

/** The weight of a term that `containing` of `points` contain. */
export function termWeight(points: number, containing: number): number {
  return Math.log(1 + (points - containing + 0.5) / (containing + 0.5));
}

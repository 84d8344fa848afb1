/** Text with runs of whitespace as single spaces, and without differences that no reader can see. */
export function normalise(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\u00ad/g, '')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’]/g, "'")
    .replace(/\s+/g, ' ')
    .trim();
}

/** 1 for equal texts, 0 for texts with nothing in common: 1 − edit distance / length of the longer text. */
export function similarity(one: string, other: string): number {
  const [a, b] = [Array.from(normalise(one)), Array.from(normalise(other))];
  const longest = Math.max(a.length, b.length);
  return longest === 0 ? 1 : 1 - editDistance(a, b) / longest;
}

/**
 * Levenshtein distance. Only cells within a band around the diagonal are computed; the band is doubled until the
 * distance fits in it, so that similar texts of any length are cheap.
 */
export function editDistance<Item>(a: readonly Item[], b: readonly Item[]): number {
  const longest = Math.max(a.length, b.length);
  for (let band = Math.max(16, 2 * Math.abs(a.length - b.length)); ; band *= 2) {
    const distance = bandedDistance(a, b, band);
    if (distance <= band || band >= longest) return distance;
  }
}

function bandedDistance<Item>(a: readonly Item[], b: readonly Item[], band: number): number {
  const far = a.length + b.length;
  let before = new Int32Array(b.length + 1).fill(far);
  let current = new Int32Array(b.length + 1).fill(far);
  for (let column = 0; column <= Math.min(band, b.length); column += 1) before[column] = column;
  for (let row = 1; row <= a.length; row += 1) {
    const from = Math.max(1, row - band);
    const to = Math.min(b.length, row + band);
    current[from - 1] = from === 1 ? row : far;
    for (let column = from; column <= to; column += 1) {
      const changed = (before[column - 1] as number) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const removed = (before[column] as number) + 1;
      const added = (current[column - 1] as number) + 1;
      current[column] = Math.min(changed, removed, added);
    }
    if (to < b.length) current[to + 1] = far;
    [before, current] = [current, before];
  }
  return before[b.length] as number;
}

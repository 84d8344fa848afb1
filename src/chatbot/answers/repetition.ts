const longestPeriod = 160;
const leastRepeated = 80;
const leastTimes = 4;

/** Where a text begins to repeat itself without end; undefined while it does not. */
export function repetitionStart(text: string): number | undefined {
  const end = text.length;
  for (let period = 1; period <= longestPeriod; period++) {
    const needed = Math.max(leastRepeated, period * leastTimes);
    if (end < needed) return undefined;
    let at = end - 1;
    while (at >= period && text[at] === text[at - period]) at--;
    // `at + 1 - period` is where the first of the equal pieces begins.
    const start = at + 1 - period;
    if (end - start >= needed) return start + period;
  }
  return undefined;
}

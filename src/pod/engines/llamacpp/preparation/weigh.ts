/** Handling a number, a key or a list costs about as much as this many characters. */
const perValue = 50;

/** Estimates the size of a value in characters; stops counting above `enough`. */
export function weigh(value: unknown, enough: number): number {
  const left: unknown[] = [value];
  let weight = 0;
  while (left.length > 0 && weight <= enough) {
    const item = left.pop();
    weight += perValue;
    if (typeof item === 'string') weight += item.length;
    else if (Array.isArray(item)) {
      // Lists of token ids are long but need no preparation.
      if (typeof item[0] === 'number') continue;
      if (item.length * perValue > enough) return item.length * perValue;
      for (const inner of item) left.push(inner);
    } else if (item !== null && typeof item === 'object') {
      for (const [key, inner] of Object.entries(item)) {
        weight += key.length;
        left.push(inner);
      }
    }
  }
  return weight;
}

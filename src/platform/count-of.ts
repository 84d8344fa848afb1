/** A number of things in English: `1 page`, `2 pages`. */
export const countOf = (count: number, thing: string, things = `${thing}s`): string =>
  `${count} ${count === 1 ? thing : things}`;

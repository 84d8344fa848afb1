import { InvalidArgumentError } from 'commander';

export interface WantedPages {
  first?: number;
  last?: number;
}

/** `3`, `3-7`, `3-` or `-7`. */
export function pageRange(text: string): WantedPages {
  const [, from, dash, to] = /^([1-9]\d{0,6})?(-)?([1-9]\d{0,6})?$/.exec(text) ?? [];
  const first = from === undefined ? undefined : Number(from);
  const last = dash ? (to === undefined ? undefined : Number(to)) : first;
  if ((first === undefined && last === undefined) || (first ?? 1) > (last ?? Infinity))
    throw new InvalidArgumentError('expected pages such as 3, 3-7, 3- or -7');
  return { ...(first !== undefined && { first }), ...(last !== undefined && { last }) };
}

/** Whether an element stands in the range. Elements of formats without pages always do. */
export const isWanted = ({ page }: { page?: number }, { first = 1, last = Infinity }: WantedPages) =>
  page === undefined || (page >= first && page <= last);

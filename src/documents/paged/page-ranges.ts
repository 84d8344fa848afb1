import type { PageRange } from './paged-reader.ts';

/** Large enough that opening the file again costs little, small enough that a killed worker costs little. */
const mostPages = 16;

/** Splits pages into jobs: about two per worker, so that a slow range does not leave the others idle for long. */
export function pageRanges({ first, last }: PageRange, workers: number): PageRange[] {
  const size = Math.max(1, Math.min(mostPages, Math.ceil((last - first + 1) / (workers * 2))));
  const ranges: PageRange[] = [];
  for (let at = first; at <= last; at += size)
    ranges.push({ first: at, last: Math.min(at + size - 1, last) });
  return ranges;
}

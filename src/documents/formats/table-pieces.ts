import type { Draft } from '../drafts/draft.ts';
import { tableDraft } from '../drafts/table-draft.ts';

/** A longer table is given as several, each with the heading row, so that no element is larger than a message. */
const mostCells = 50_000;

/** Tables from records, the first of which is the heading if all of its fields are words. */
export function* tablePieces(records: Iterable<string[]>): Generator<Draft> {
  let header: string[] | undefined;
  let first = true;
  let rows: string[][] = [];
  let cells = 0;
  let given = false;
  const piece = function* (): Generator<Draft> {
    const whole = header ? [header, ...rows] : rows;
    const draft = tableDraft(
      whole.map((row) => row.map((text) => ({ text }))),
      header && rows.length > 0 ? 1 : 0,
    );
    if (draft) yield draft;
    given = true;
    rows = [];
    cells = 0;
  };
  for (const record of records) {
    if (first && isHeading(record)) header = record;
    else {
      rows.push(record);
      cells += record.length;
    }
    first = false;
    if (cells >= mostCells) yield* piece();
  }
  if (rows.length > 0 || !given) yield* piece();
}

export const isHeading = (record: readonly string[]): boolean =>
  record.some((field) => field !== '') && record.every((field) => field === '' || /\p{L}/u.test(field));

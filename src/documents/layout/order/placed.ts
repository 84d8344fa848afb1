import type { Box } from '../../element.ts';
import { type Row, rowsOf } from '../rows.ts';

/** Something with a place on the page: a part of a row, or a table or picture that must stay whole. */
export interface Placed {
  box: Box;
  /** The text, if it is one. */
  row?: Row;
}

/** The lines of a column. Wide spaces in justified text have cut some of them into parts. */
export const linesOf = (side: Placed[]): Row[] => rowsOf(side.flatMap((item) => item.row?.words ?? []));

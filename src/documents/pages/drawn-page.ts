import type { Box } from '../element.ts';

/** A page as it was read: turned clockwise by so many degrees. */
export interface DrawnPage {
  number: number;
  turned?: number | undefined;
}

/** Boxes on a page, in the units of its width. */
export interface CutPage extends DrawnPage {
  width: number;
  boxes: Box[];
}

import type { PdfPicture } from '../file/pdf-document.ts';

/** Text in one style. A line break is a line feed. */
export interface Run {
  text: string;
  bold?: boolean;
  italic?: boolean;
  mono?: boolean;
  underline?: boolean;
  strike?: boolean;
  raised?: 'up' | 'down';
  link?: string;
}

export type Tone = 'information' | 'tip' | 'note' | 'warning' | 'plain' | 'quote';

export interface ListItemBlock {
  marker: string;
  blocks: Block[];
}

export interface Cell {
  blocks: Block[];
  /** Place in the grid. */
  row: number;
  column: number;
  rows: number;
  columns: number;
  heading: boolean;
}

export interface TableBlock {
  kind: 'table';
  cells: Cell[];
  rows: number;
  columns: number;
  headerRows: number;
}

/** What a page is made of, from top to bottom. */
export type Block =
  | { kind: 'heading'; level: number; runs: Run[] }
  | { kind: 'paragraph'; runs: Run[]; look?: 'caption' }
  | { kind: 'list'; items: ListItemBlock[] }
  | { kind: 'code'; text: string }
  | { kind: 'panel'; tone: Tone; blocks: Block[] }
  | { kind: 'picture'; picture: PdfPicture; width?: number; height?: number }
  | { kind: 'rule' }
  | TableBlock;

import type { Box, TableCells } from '../element.ts';

/** How the glyphs of a word look. */
export interface Style {
  /** Height of the font in points. */
  size: number;
  bold: boolean;
  italic: boolean;
  mono: boolean;
  font: string;
}

export interface Word {
  text: string;
  box: Box;
  baseline: number;
  style: Style;
  link?: string;
  /** On scans: the number of the detected line. Lines end at columns and table cells. */
  line?: number;
}

/** A stretch of a line with one look. A space between two runs belongs to the first. */
export interface Run {
  text: string;
  bold?: boolean;
  italic?: boolean;
  underline?: boolean;
  link?: string;
}

export interface TextLine {
  box: Box;
  baseline: number;
  size: number;
  /** Every letter of the line is bold. */
  bold: boolean;
  italic: boolean;
  mono: boolean;
  font: string;
  runs: Run[];
}

/** What the layout model takes a region for. */
export type RegionRole =
  | 'text'
  | 'title'
  | 'figure'
  | 'figure caption'
  | 'table'
  | 'table caption'
  | 'header'
  | 'footer'
  | 'reference'
  | 'equation';

export interface TextBlock {
  type: 'text';
  box: Box;
  lines: TextLine[];
  /** The list marker that the block begins with; it is not part of the lines. */
  marker?: string;
  role?: RegionRole;
  /** Right edge of the column, to tell whether the last line is full. */
  columnRight: number;
}

export interface TableBlock {
  type: 'table';
  box: Box;
  table: TableCells;
  /** Borders between columns, to compare with a table on the next page. */
  columnEdges: number[];
}

export interface PictureBlock {
  type: 'picture';
  box: Box;
  /** Text inside the picture. */
  text: string;
}

export type PageBlock = TextBlock | TableBlock | PictureBlock;

/** How a page was read: from its text, with the help of models, or by OCR. */
export type PageSource = 'text' | 'vision' | 'ocr';

/** Why a page was not read as well as it could be. */
export type PageShortfall = 'no models' | 'no OCR';

/** A page as stage one hands it over: blocks in reading order. It can be sent between processes. */
export interface PageContent {
  number: number;
  width: number;
  height: number;
  source: PageSource;
  shortfall?: PageShortfall;
  /** Degrees by which the page was turned clockwise to be read. */
  turned?: number;
  blocks: PageBlock[];
}

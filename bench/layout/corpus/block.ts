import type { DocumentElement, TableCells } from '../../../src/documents/element.ts';

/** What a document is made of, before it is laid out on pages. */
export type Block =
  | { type: 'heading'; depth: number; text: string }
  | { type: 'paragraph'; text: string; footnote?: { mark: number; text: string } }
  | { type: 'item'; depth: number; marker: string; text: string }
  | { type: 'table'; look: TableLook; table: TableCells }
  | { type: 'caption'; text: string }
  | { type: 'picture' }
  | { type: 'code'; text: string };

export type TableLook = 'ruled' | 'lined' | 'open';

/** Blocks that are set in the same number of columns. */
export interface Section {
  columns: 1 | 2;
  blocks: Block[];
}

export interface Style {
  font: string;
  /** In points. */
  size: number;
  justified: boolean;
  /** Words may be hyphenated at line ends. */
  hyphens: boolean;
  indented: boolean;
}

export interface PlannedDocument {
  name: string;
  language: 'eng' | 'rus';
  style: Style;
  running: { header?: string; footer?: string; numbers?: boolean };
  sections: Section[];
}

/** A true element of a document. */
export type TrueElement = Pick<
  DocumentElement,
  'index' | 'kind' | 'text' | 'depth' | 'page' | 'parent' | 'table'
> & {
  look?: TableLook;
};

export interface TrueDocument {
  name: string;
  language: 'eng' | 'rus';
  scanned: boolean;
  pages: number;
  elements: TrueElement[];
}

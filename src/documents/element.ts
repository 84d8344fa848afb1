/** The categories of document elements, named as in the Unstructured API. */
export type ElementKind =
  | 'Title'
  | 'NarrativeText'
  | 'UncategorizedText'
  | 'ListItem'
  | 'Table'
  | 'Header'
  | 'Footer'
  | 'PageNumber'
  | 'PageBreak'
  | 'Image'
  | 'FigureCaption'
  | 'Formula'
  | 'CodeSnippet'
  | 'Address'
  | 'EmailAddress'
  | 'CheckBox';

/** A rectangle on a page, in points (1/72 inch) from the page's top left corner. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Where an element, or a part of one that continues on the next page, stands. */
export interface Region {
  page: number;
  box: Box;
  pageWidth: number;
  pageHeight: number;
  /** Parts that continue an element: where its text goes on here. Left out where that is not known. */
  start?: number;
  /** The same for tables: the first row that stands here. */
  row?: number;
  /** Degrees by which the page was turned clockwise to be read, if it was. Box and size are those after it. */
  turned?: number;
}

export interface Link {
  text: string;
  url: string;
  /** Offset of the link's text within the element's text. */
  start: number;
}

export interface Emphasis {
  text: string;
  tag: 'b' | 'i' | 'u';
}

export interface MailHeaders {
  from?: string[];
  to?: string[];
  cc?: string[];
  subject?: string;
  /** ISO 8601. */
  sentAt?: string;
  attachments?: string[];
}

/** One piece of a document, in reading order. */
export interface DocumentElement {
  kind: ElementKind;
  text: string;
  /** Counts from 0 within the document. */
  index: number;
  /** The index of the title, or of the outer list item, that this element belongs to. */
  parent?: number;
  /** Depth of a title (0 is the topmost) or nesting of a list item. */
  depth?: number;
  /** The page on which the element begins, from 1. Formats without pages leave it out. */
  page?: number;
  /** The name of a sheet or the title of a slide. */
  pageName?: string;
  /** Empty for formats without geometry. */
  regions: Region[];
  /** Tables: `<table>` with `rowspan`, `colspan` and `<th>`. */
  html?: string;
  /** Tables: the cells, so that chunking can split by rows without parsing HTML. */
  table?: TableCells;
  links?: Link[];
  emphasis?: Emphasis[];
  /** ISO 639-3, the most likely first. */
  languages?: string[];
  mail?: MailHeaders;
  /** What the element looks like, where it was asked for: a JPEG file in Base64. */
  picture?: string;
}

export interface TableCells {
  rows: number;
  columns: number;
  /** How many rows at the top are headings. */
  headerRows: number;
  cells: TableCell[];
}

export interface TableCell {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  text: string;
}

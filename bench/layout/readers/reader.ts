import type { DocumentElement } from '../../../src/documents/element.ts';

export type Strategy = 'fast' | 'hi_res' | 'ocr_only' | 'auto';

/** What is compared of an element. */
export type FoundElement = Pick<DocumentElement, 'kind' | 'text' | 'depth' | 'page' | 'table'>;

/** A library that reads documents, ours or a peer. */
export interface Reader {
  name: string;
  /** Failures of our reader count against it; a document that a peer can't read is left out for the peer. */
  ours?: boolean;
  read(path: string, strategy: Strategy, languages: string[]): Promise<FoundElement[]>;
  /** Largest memory of a process that has read a document, in MB. */
  peakMemory?(): number;
  close(): Promise<void>;
}

/** A reader that could not be opened is reported as absent, never as beaten. */
export interface Absent {
  name: string;
  absent: string;
}

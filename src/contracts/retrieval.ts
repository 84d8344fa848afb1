export interface BotQuery {
  question: string;
  /** Further formulations of the same question. */
  variants?: readonly string[];
  /** Passages to return; the bot's `support_n` by default. */
  limit?: number;
  /** The platform calls the models; the caller is charged for the answer. */
  credentials: 'platform';
  signal: AbortSignal;
  requestId?: string | undefined;
}

export interface Found {
  /** Best first. */
  passages: Passage[];
  /** Whether the documents contain an answer, by calibrated scores: 0 to 1. */
  confidence: number;
  /** `confidence` is high enough to answer. */
  answerable: boolean;
  /** The language of the question, ISO 639-3. */
  language: string;
}

export interface BotDocument {
  name: string;
  title: string;
  /** Address of the original, or of the stored file below `/documents`. */
  uri: string;
  /** Media type. */
  type: string;
  pages: number | null;
  /** Whether `#page=N` opens a page of it at `uri`. */
  pageAnchors: boolean;
}

/** A chunk, or several that follow each other, joined. */
export interface Passage {
  id: number;
  document: BotDocument;
  /** Exactly as in the document. */
  text: string;
  /** The same for people and models: tables as Markdown. */
  markdown: string;
  headings: string[];
  /** The page on which it begins, from 1; null for formats without pages. */
  page: number | null;
  segments: PassageSegment[];
  language: string | null;
  /** 0 to 1, comparable within one answer. */
  score: number;
}

/** A part of the passage's text that stands in one piece on one page. Offsets are in UTF-16 units. */
export interface PassageSegment {
  start: number;
  end: number;
  page: number | null;
  boxes: { page: number; left: number; top: number; right: number; bottom: number }[];
}

import type { Credentials } from '../../platform/inference/sending/call-options.ts';
import type { ChunkSegment } from '../tables.ts';

export interface BotQuery {
  question: string;
  /** Further formulations of the same question. */
  variants?: readonly string[];
  /** Passages to return; the bot's `support_n` by default. */
  limit?: number;
  credentials: Credentials;
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

/** A chunk, or several that follow each other, joined. */
export interface Passage {
  id: number;
  document: PassageDocument;
  /** Exactly as in the document. */
  text: string;
  /** The same for people and models: tables as Markdown. */
  markdown: string;
  headings: string[];
  page: number | null;
  segments: ChunkSegment[];
  language: string | null;
  /** 0 to 1, comparable within one answer. */
  score: number;
}

export interface PassageDocument {
  name: string;
  title: string;
  uri: string;
  type: string;
  pages: number | null;
  /** Whether `#page=N` opens a page of it at `uri`. */
  pageAnchors: boolean;
}

import type { BotRecord } from '../contracts/document-index/bots.ts';
import type { BotDocument, BotQuery, Found } from '../contracts/retrieval.ts';

/** What the chatbot needs of the document index. */
export interface Bots {
  /** Throws `NotFound`. */
  get(bot: string): Promise<BotProfile>;
  list(): Promise<BotProfile[]>;
  /** The passages that fit a question best. Throws `NotFound`. */
  search(bot: string, query: BotQuery): Promise<Found>;
  /** The documents that can be cited, by name. */
  documents(bot: string): Promise<BotDocument[]>;
  /** The original file of a document; throws `NotFound`. */
  openDocument(bot: string, name: string): Promise<OpenDocument>;
}

export interface BotProfile extends BotRecord {
  /** Whether it has documents that can be searched. */
  ready: boolean;
  /** Why it can't answer; null where it can, or will. */
  problem: string | null;
  /** The languages of its documents, ISO 639-3, the most frequent first. */
  languages: string[];
}

export interface OpenDocument {
  type: string;
  size: number;
  modifiedAt: Date;
  /** The whole file, or a range of it. */
  read(range?: { start: number; end?: number }): Promise<AsyncIterable<Uint8Array>>;
}

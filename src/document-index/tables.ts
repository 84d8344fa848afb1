import type { Generated, Insertable, Selectable } from 'kysely';

declare module '../platform/database/tables.ts' {
  interface Tables {
    bots: BotRow;
    bot_documents: BotDocumentRow;
    bot_chunks: BotChunkRow;
    bot_questions: BotQuestionRow;
    bot_sources: BotSourceRow;
  }
}

export interface BotRow {
  id: string;
  /** `creating` until its first documents can be searched. */
  state: 'creating' | 'ready' | 'deleting';
  /** Name of the key that created it. */
  creator: string;
  user_story: string;
  hello_text: string;
  retrive_n: number;
  support_n: number;
  example_questions_json: string;
  /** The collection that answers: the bot's id, or a copy while the bot is being embedded again. */
  collection: string;
  /** The embeddings model that made the vectors in `collection`; null while there are none. */
  embeddings_model: string | null;
  dimensions: number | null;
  /** What the operator should know: languages that the model doesn't speak, embedding that is under way. */
  notes_json: string;
  /** Seconds between two syncs with its sources; null where nobody asked for syncs. */
  sync_every: number | null;
  /** When the next sync is due. */
  sync_due_at: number | null;
  created_at: number;
  changed_at: number;
}

/** A version of a document. A name has at most one `active` version, and at most one that is being prepared. */
export interface BotDocumentRow {
  /** Also the group of its points. */
  id: Generated<number>;
  bot: string;
  name: string;
  /** Address of the original; null for uploads. */
  url: string | null;
  /** The source that it came from, without credentials; null for uploads. */
  source_json: string | null;
  /** The source's id and version of it, so that a sync finds what changed. */
  source_id: string | null;
  source_version: string | null;
  /** Names of the spaces, folders or pages above it at the source; null where there are none. */
  path_json: string | null;
  /** Ids of the containers that its source listed it in; null where they are not known. */
  containers_json: string | null;
  /**
   * `pending` → `processing` → `built` → `active` → `retired` (its rows, points and file are being removed), or
   * `error`. Only `active` versions answer.
   */
  state: 'pending' | 'processing' | 'built' | 'active' | 'retired' | 'error';
  /** The command that brings or removes this version. */
  command: string | null;
  /** Key of the original in the blob store; null until it has been fetched. */
  blob: string | null;
  type: string | null;
  title: string | null;
  bytes: number | null;
  sha256: string | null;
  pages: number | null;
  /** Number of chunks; null until the document has been read to its end. */
  chunks: number | null;
  /** Chunks with a lower position are in the vector store. */
  embedded: number;
  languages_json: string;
  /** Why it failed or was skipped; of a version that is being prepared, a warning. */
  error: string | null;
  created_at: number;
  indexed_at: number | null;
}

export type StoredDocument = Selectable<BotDocumentRow>;
export type NewDocument = Insertable<BotDocumentRow>;

export interface BotChunkRow {
  /** Also the id of its point. */
  id: Generated<number>;
  bot: string;
  document: number;
  /** Counts from 0 within the document. */
  position: number;
  kind: 'text' | 'table';
  text: string;
  /** Title and headings, placed in front of the text for embedding and lexical search. */
  context: string;
  headings_json: string;
  /** Tables: Markdown. Null where the text itself is shown. */
  markdown: string | null;
  /** The page on which it begins, from 1. */
  page: number | null;
  /** `PassageSegment[]`: which part of the text stands on which page, and where. */
  segments_json: string;
  /** ISO 639-3. */
  language: string | null;
}

/** A place that documents of a bot come from, and are synced with. */
export interface BotSourceRow {
  id: Generated<number>;
  bot: string;
  type: string;
  /** As everybody may see it. */
  url: string;
  /** The descriptor with its credentials, encrypted; base64. */
  sealed: string;
  created_at: number;
  /** When a command last listed it, and what that changed (`SourceCounts`); null before the first time. */
  synced_at: number | null;
  counts_json: string | null;
  /** Why it, or a part of it, could not be listed then, or why a later sync as a whole failed. */
  error: string | null;
}

export type StoredSource = Selectable<BotSourceRow>;

/** A regression question of a bot. */
export interface BotQuestionRow {
  id: Generated<number>;
  bot: string;
  question: string;
  /** Null where the right answer is a refusal. */
  answer: string | null;
  document: string | null;
  page: number | null;
  created_at: number;
}

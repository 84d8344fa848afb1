import type { PassageSegment } from '../../../contracts/retrieval.ts';
import type { MailHeaders } from '../../../documents/element.ts';

/** A passage of a document before it is stored. */
export interface ChunkDraft {
  kind: 'text' | 'table';
  text: string;
  /** The titles above it, the topmost first. */
  headings: string[];
  /** How many of the last of them also begin the text. */
  ownHeadings: number;
  /** Whether it consists of titles alone. */
  onlyHeadings: boolean;
  markdown: string | null;
  page: number | null;
  /** The name of a sheet or the title of a slide. */
  pageName: string | undefined;
  mail: MailHeaders | undefined;
  segments: PassageSegment[];
}

export interface ChunkSizes {
  /** Characters of a passage, at most. */
  text: number;
  /** Characters of a table that stays whole; longer ones are split between rows. */
  table: number;
}

/** What a bot's documents are about, as far as titles and headings tell. */
export interface BotOutline {
  userStory: string;
  /** ISO 639-3; the language of most documents. */
  language: string;
  /** The main languages of its documents, the most frequent first. */
  languages: string[];
  documents: { title: string; headings: string[]; language: string | undefined }[];
  /** How many documents there are; `documents` has only the first. */
  count: number;
}

declare module '../platform/database/tables.ts' {
  interface Tables {
    bot_answers: BotAnswerRow;
    bot_answer_documents: BotAnswerDocumentRow;
  }
}

/** An answer that can be rated. It is removed after a while unless somebody rates it. */
export interface BotAnswerRow {
  id: string;
  bot: string;
  question: string;
  /** The user's earlier questions in the conversation; never earlier answers, which quote other documents. */
  earlier_json: string;
  answer: string;
  /** The citations, each with the name of its document. */
  documents_json: string;
  /** The passages that the answer was made from. */
  passages_json: string;
  created_at: number;
  /** -1 to 1; null until it is rated. */
  rating: number | null;
  comment: string | null;
  rated_at: number | null;
}

/** A document whose text an answer may contain; `*` where it may be any of the bot. */
export interface BotAnswerDocumentRow {
  answer: string;
  document: string;
}

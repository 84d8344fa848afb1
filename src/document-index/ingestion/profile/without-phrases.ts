import { escapeHtml } from '../../greeting/sanitize-html.ts';

interface Description {
  /** HTML. */
  greeting: string;
  questions: readonly string[];
}

/**
 * The description without what quotes titles and headings of documents that are deleted: the greeting goes as a whole,
 * of the questions only those that quote one.
 */
export function withoutPhrases({ greeting, questions }: Description, phrases: ReadonlySet<string>) {
  const quotes = [...phrases].flatMap((phrase) => [`“${phrase}”`, `«${phrase}»`]);
  const isQuoted = (text: string) => quotes.some((quote) => text.includes(quote));
  return {
    greeting: quotes.some((quote) => greeting.includes(escapeHtml(quote))) ? '' : greeting,
    // A heading that is a question stands there as it is.
    questions: questions.filter((question) => !phrases.has(question) && !isQuoted(question)),
  };
}

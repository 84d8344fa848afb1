import type { Citation } from '../../contracts/document-index/questions.ts';
import { containsAnswer } from './normalise-answer.ts';
import type { EvaluationQuestion } from './read-questions.ts';

/** Whether a citation is right: it names the document and page, where the question does, and its passage has the answer. */
export function isRightCitation(
  { document, page, answer, spans }: EvaluationQuestion,
  citation: Citation,
): boolean {
  if (document !== undefined && !isDocument(citation, document)) return false;
  if (page !== undefined && citation.page !== null && citation.page !== page) return false;
  const texts = spans ?? (answer ? [answer] : []);
  const cited = `${citation.passage_md}\n${citation.quote}`;
  return texts.length === 0 || texts.some((text) => containsAnswer(cited, text));
}

/** Whether the quote stands word for word in the cited passage. Markdown adds marks, and line breaks may differ. */
export const isVerbatim = ({ quote, passage_md }: Citation): boolean =>
  plain(quote) !== '' && plain(passage_md).includes(plain(quote));

function isDocument({ title, uri }: Citation, document: string): boolean {
  if (title === document) return true;
  const last =
    uri
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? '';
  try {
    return decodeURIComponent(last) === document;
  } catch {
    return last === document;
  }
}

const plain = (text: string) =>
  text
    .replace(/[\\|*_`#]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

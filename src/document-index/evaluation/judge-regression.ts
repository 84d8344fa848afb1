import type { Answer } from '../../contracts/document-index/questions.ts';
import { answerRecall } from './answer-scores.ts';
import { isRightCitation } from './citation-scores.ts';
import type { EvaluationQuestion } from './read-questions.ts';

/** Models word answers differently, so not every word of the right one is needed. */
const enoughWords = 0.7;

/** Why an answer to a regression question is wrong; null if it is right. */
export function regressionFault(
  question: EvaluationQuestion,
  { answer, documents }: Pick<Answer, 'answer' | 'documents'>,
): string | null {
  if (question.answer === null) {
    return documents.length === 0 ? null : 'it was answered, but the right answer is a refusal';
  }
  if (documents.length === 0) return 'it was not answered';
  if (question.answer && answerRecall(answer, question.answer) < enoughWords) {
    return 'the answer does not contain the right one';
  }
  const { document, page } = question;
  const cites = documents.some((citation) =>
    isRightCitation({ question: question.question, document, page }, citation),
  );
  if (cites) return null;
  return page === undefined
    ? `it does not cite ${document}`
    : `it does not cite ${document ?? 'the document'}, page ${page}`;
}

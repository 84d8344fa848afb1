import type { QuestionScores } from './evaluate-question.ts';

/** Means over a set of questions, from 0 to 1; null where no question tells enough. */
export interface EvaluationSummary {
  questions: number;
  unanswerable: number;
  recall_at_1: number | null;
  recall_at_5: number | null;
  recall_at_10: number | null;
  ndcg_at_10: number | null;
  answer_f1: number | null;
  answer_recall: number | null;
  citation_accuracy: number | null;
  quotes_verbatim: number | null;
  refused_of_unanswerable: number | null;
  answered_of_answerable: number | null;
}

export function summariseScores(scores: readonly QuestionScores[]): EvaluationSummary {
  const unanswerable = scores.filter(({ mayRefuse }) => mayRefuse);
  const answerable = scores.filter(({ mayRefuse }) => !mayRefuse);
  const judged = answerable.filter(({ rightCitations }) => rightCitations !== undefined);
  const citations = sum(scores.map((each) => each.citations));
  const judgedCitations = sum(judged.map((each) => each.citations));
  return {
    questions: scores.length,
    unanswerable: unanswerable.length,
    recall_at_1: mean(scores.map(({ recall }) => recall?.[1])),
    recall_at_5: mean(scores.map(({ recall }) => recall?.[5])),
    recall_at_10: mean(scores.map(({ recall }) => recall?.[10])),
    ndcg_at_10: mean(scores.map(({ ndcg }) => ndcg)),
    answer_f1: mean(scores.map(({ f1 }) => f1)),
    answer_recall: mean(scores.map(({ answerRecall }) => answerRecall)),
    citation_accuracy: share(sum(judged.map(({ rightCitations = 0 }) => rightCitations)), judgedCitations),
    quotes_verbatim: share(sum(scores.map(({ verbatimQuotes }) => verbatimQuotes)), citations),
    refused_of_unanswerable: mean(unanswerable.map(({ refused }) => Number(refused))),
    answered_of_answerable: mean(answerable.map(({ refused }) => Number(!refused))),
  };
}

function mean(values: readonly (number | undefined)[]): number | null {
  const known = values.filter((value) => value !== undefined);
  return share(sum(known), known.length);
}

const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

import type { Answer } from '../../contracts/document-index/questions.ts';
import type { SearchResponse } from '../../contracts/document-index/search.ts';
import { answerF1, answerRecall } from './answer-scores.ts';
import { isRightCitation, isVerbatim } from './citation-scores.ts';
import { ndcgAt10, ranksOf, recallAt } from './ranking-scores.ts';
import type { EvaluationQuestion } from './read-questions.ts';

/** Scores of one question. What the question does not tell enough about is undefined. */
export interface QuestionScores {
  recall: { 1: number; 5: number; 10: number } | undefined;
  ndcg: number | undefined;
  /** An answer that cites nothing is a refusal. */
  refused: boolean;
  mayRefuse: boolean;
  f1: number | undefined;
  answerRecall: number | undefined;
  citations: number;
  rightCitations: number | undefined;
  verbatimQuotes: number;
}

type RankedPassages = Pick<SearchResponse, 'passages'>['passages'];
type GivenAnswer = Pick<Answer, 'answer' | 'documents'>;

export function evaluateQuestion(
  question: EvaluationQuestion,
  passages: RankedPassages,
  { answer, documents }: GivenAnswer,
): QuestionScores {
  const ranks = ranksOf(question, passages);
  const refused = documents.length === 0;
  const right = question.answer ?? question.spans?.join(' ');
  const isJudged = right !== undefined && right !== null;
  const canCite = question.answer !== null && (isJudged || question.document !== undefined);
  return {
    recall: ranks && { 1: recallAt(ranks, 1), 5: recallAt(ranks, 5), 10: recallAt(ranks, 10) },
    ndcg: ranks && ndcgAt10(ranks),
    refused,
    mayRefuse: question.answer === null,
    f1: isJudged ? (refused ? 0 : answerF1(withoutMarkers(answer), right)) : undefined,
    answerRecall: isJudged ? (refused ? 0 : answerRecall(withoutMarkers(answer), right)) : undefined,
    citations: documents.length,
    rightCitations: canCite
      ? documents.filter((citation) => isRightCitation(question, citation)).length
      : undefined,
    verbatimQuotes: documents.filter(isVerbatim).length,
  };
}

/** Numbers of citations are no part of the answer. */
const withoutMarkers = (answer: string) => answer.replace(/\[\d{1,3}\]/g, ' ');

import { Problem } from '../../../contracts/problems.ts';
import { Gone } from '../../../platform/outgoing/answers/answer-problem.ts';
import { isTemporary } from '../../../platform/outgoing/answers/patience.ts';

/** What a failure says about one item. Failures that may pass are thrown: they say nothing about it. */
export function itemProblem(error: unknown): { problem: string; gone?: true } {
  if (isTemporary(error) || !(error instanceof Problem)) throw error;
  return { problem: error.message, ...(error instanceof Gone && { gone: true as const }) };
}

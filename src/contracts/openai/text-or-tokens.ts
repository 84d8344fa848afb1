import { z } from 'zod';
import { type ListProblem, most, problemIssue, tokenIdsProblem } from './limits.ts';

const tokenIds = { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 1 } as const;
const shape = 'must be a string, or a non-empty array of strings, of token ids or of arrays of token ids';

/** A text, several texts, one text as token ids, or several as token ids. Checked by hand, up to the first issue. */
export const TextOrTokens = z
  .unknown()
  .superRefine((value, context) => {
    const problem = findProblem(value);
    if (problem) context.issues.push(problemIssue(problem));
  })
  .meta({
    anyOf: [
      { type: 'string' },
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: most.inputs },
      { ...tokenIds, maxItems: most.tokenIds },
      { type: 'array', items: tokenIds, minItems: 1, maxItems: most.inputs },
    ],
  }) as z.ZodType<TextOrTokens, TextOrTokens>;
export type TextOrTokens = string | string[] | number[] | number[][];

function findProblem(value: unknown): ListProblem | undefined {
  if (typeof value === 'string') return undefined;
  if (!Array.isArray(value) || value.length === 0) return { path: [], message: shape };
  if (typeof value[0] === 'number') return tokenIdsProblem(value);
  if (value.length > most.inputs) return { path: [], message: `must hold at most ${most.inputs} inputs` };
  return typeof value[0] === 'string' ? textsProblem(value) : tokenListsProblem(value);
}

function textsProblem(values: unknown[]): ListProblem | undefined {
  const wrong = values.findIndex((value) => typeof value !== 'string');
  return wrong < 0 ? undefined : { path: [wrong], message: 'must be a string, as the items before it are' };
}

function tokenListsProblem(values: unknown[]): ListProblem | undefined {
  let left = most.tokenIds;
  for (const [index, value] of values.entries()) {
    if (!Array.isArray(value) || value.length === 0) return { path: [index], message: shape };
    left -= value.length;
    if (left < 0) return { path: [], message: `must hold at most ${most.tokenIds} token ids` };
    const problem = tokenIdsProblem(value);
    if (problem) return { ...problem, path: [index, ...problem.path] };
  }
  return undefined;
}

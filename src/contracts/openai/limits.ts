import { z } from 'zod';

/**
 * The most of each thing that one request to a pod may carry. Counts follow OpenAI where it documents one
 * (tools, inputs); the others are far above real use and low enough to check in milliseconds.
 */
export const most = {
  messages: 16_384,
  contentParts: 2_048,
  toolCalls: 256,
  tools: 128,
  stopTexts: 16,
  stopCharacters: 256,
  logitBiases: 1_024,
  inputs: 2_048,
  tokenIds: 2 ** 20,
  documents: 10_000,
};

/**
 * An array whose length is checked before its items are: zod reads every item first, and a list of a million
 * wrong items makes a million issues.
 */
export function list<Item extends z.ZodType>(item: Item, bounds: { least?: number; most: number }) {
  return z.preprocess(
    (value, context) => {
      if (!Array.isArray(value) || value.length <= bounds.most) return value;
      context.issues.push({
        code: 'too_big',
        origin: 'array',
        maximum: bounds.most,
        inclusive: true,
        input: undefined,
        message: `must hold at most ${bounds.most} items`,
      });
      return z.NEVER;
    },
    z
      .array(item)
      .min(bounds.least ?? 0)
      .max(bounds.most),
  );
}

/** A record whose number of keys is checked before its values are. */
export function record<Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  key: Key,
  value: Value,
  mostKeys: number,
) {
  return z.preprocess(
    (given, context) => {
      if (given === null || typeof given !== 'object' || Object.keys(given).length <= mostKeys) return given;
      context.issues.push({
        code: 'custom',
        input: undefined,
        message: `must hold at most ${mostKeys} keys`,
      });
      return z.NEVER;
    },
    z.record(key, value),
  );
}

const isTokenId = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

/** Token ids are checked by hand: there may be a million of them, and the first wrong one is enough. */
export const TokenIds = z
  .unknown()
  .superRefine((value, context) => {
    const problem = tokenIdsProblem(value);
    if (problem) context.issues.push(problemIssue(problem));
  })
  .meta({ type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: most.tokenIds }) as z.ZodType<
  number[],
  number[]
>;

export interface ListProblem {
  path: number[];
  message: string;
}

export const problemIssue = ({ path, message }: ListProblem) => ({
  code: 'invalid_union' as const,
  errors: [],
  path,
  message,
  input: undefined,
});

export function tokenIdsProblem(value: unknown): ListProblem | undefined {
  if (!Array.isArray(value)) return { path: [], message: 'must be an array of token ids' };
  if (value.length > most.tokenIds)
    return { path: [], message: `must hold at most ${most.tokenIds} token ids` };
  const wrong = value.findIndex((token) => !isTokenId(token));
  return wrong < 0
    ? undefined
    : { path: [wrong], message: 'must be a token id, which is an integer of at least 0' };
}

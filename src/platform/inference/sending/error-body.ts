import { z } from 'zod';
import type { InputIssue } from '../../../contracts/problems.ts';

export interface ErrorBody {
  message?: string;
  code?: string;
  type?: string;
  param?: string;
  issues?: InputIssue[];
}

const text = z.string().min(1).optional().catch(undefined);
const word = z
  .union([z.string().min(1), z.number().transform(String)])
  .optional()
  .catch(undefined);

/** OpenAI's shape. vLLM's older servers have the same fields without the outer object. */
const Described = z.looseObject({ message: text, code: word, type: text, param: text });
const Nested = z.looseObject({ error: Described });
const Plain = z.looseObject({ error: z.string() });
const Detail = z.looseObject({ detail: z.string() });
const Issues = z.looseObject({
  detail: z
    .array(
      z.looseObject({
        loc: z.array(z.union([z.string(), z.number()])).catch([]),
        msg: z.string(),
        type: z.string().catch('value_error'),
      }),
    )
    .min(1),
});

/** What an error answer says, in any of the shapes that servers use. Empty where it is none of them. */
export function readErrorBody(body: string): ErrorBody {
  const value = parsed(body);
  // First, since our own dispatcher sends `error` beside it.
  const issues = Issues.safeParse(value);
  if (issues.success) {
    return {
      message: issues.data.detail.map(({ msg }) => msg).join('; '),
      issues: issues.data.detail.map(({ loc, msg, type }) => ({ loc, msg, type })),
    };
  }
  const nested = Nested.safeParse(value);
  if (nested.success) return described(nested.data.error);
  const plain = Plain.safeParse(value);
  if (plain.success) return { message: plain.data.error };
  const detail = Detail.safeParse(value);
  if (detail.success) return { message: detail.data.detail };
  const bare = Described.safeParse(value);
  return bare.success ? described(bare.data) : {};
}

function described({ message, code, type, param }: z.infer<typeof Described>): ErrorBody {
  return {
    ...(message === undefined ? {} : { message }),
    ...(code === undefined ? {} : { code }),
    ...(type === undefined ? {} : { type }),
    ...(param === undefined ? {} : { param }),
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

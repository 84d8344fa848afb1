import { BadRequest, InvalidInput, type Problem } from '../../../contracts/problems.ts';
import type { ErrorShape } from '../../../contracts/surfaces.ts';

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export function shapeProblem(problem: Problem, shape: ErrorShape): ErrorAnswer {
  const headers = { ...problem.headers };
  if (problem.retryAfter !== undefined)
    headers['retry-after'] = String(Math.max(1, Math.ceil(problem.retryAfter)));
  const { status, body } = shapes[shape](problem);
  return { status, headers, body };
}

const shapes: Record<ErrorShape, (problem: Problem) => { status: number; body: unknown }> = {
  // OpenAI's servers answer 400, not 422, to invalid input, and its clients expect that.
  openai: (problem) => ({
    status: problem instanceof InvalidInput ? 400 : problem.status,
    body: openaiBody(problem),
  }),
  // Beside FastAPI's `detail`, since OpenAI's clients show only `error`.
  dispatcher: (problem) => {
    const invalid = fastapiValidation(problem);
    const body = { ...invalid?.body, ...openaiBody(problem) };
    return { status: invalid?.status ?? problem.status, body };
  },
  management: (problem) =>
    fastapiValidation(problem) ?? { status: problem.status, body: { detail: problem.message } },
  // Pods' own errors have `error`, so this endpoint always has it; `detail` is what the management API answers.
  'management-inference': (problem) => {
    const { status, body } = shapes.management(problem);
    return { status, body: { ...(body as object), ...openaiBody(problem) } };
  },
  layout: (problem) =>
    fastapiValidation(problem) ?? { status: problem.status, body: { detail: problem.message } },
  index: (problem) => ({ status: problem.status, body: { error: problem.message } }),
};

/** FastAPI also answers 422 to a body that is not valid JSON. */
function fastapiValidation(problem: Problem) {
  if (problem instanceof InvalidInput) return { status: 422, body: { detail: problem.issues } };
  if (problem instanceof BadRequest && problem.code === 'invalid_json') {
    return { status: 422, body: { detail: [{ loc: ['body'], msg: problem.message, type: 'json_invalid' }] } };
  }
  return undefined;
}

export function openaiBody(problem: Problem) {
  return {
    error: {
      message: problem.message,
      type: openaiType(problem.status),
      param: problem.param ?? null,
      code: problem.code,
    },
  };
}

function openaiType(status: number): string {
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

import type { Problem } from '../../../contracts/problems.ts';
import { shapeProblem } from '../../../platform/http/errors/problem-shapes.ts';
import { headerOf } from '../../../platform/wire/head.ts';
import type { Exchange } from './exchange.ts';

/** Writes a problem of ours as the answer, and returns its status. */
export function answerProblem({ call, requestId, surface, context }: Exchange, problem: Problem): number {
  const { status, headers, body } = shapeProblem(problem, surface.shape);
  if (call.begun || call.over) return status;
  const bytes = Buffer.from(JSON.stringify(body));
  const all = ['x-request-id', requestId, 'content-type', 'application/json; charset=utf-8'];
  all.push(...Object.entries(headers).flat(), ...context.corsHeaders(headerOf(call.headers, 'origin')));
  call.begin(status, all, bytes.length);
  call.write(bytes);
  call.end();
  return status;
}

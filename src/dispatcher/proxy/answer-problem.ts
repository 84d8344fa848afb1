import type { Problem } from '../../contracts/problems.ts';
import { shapeProblem } from '../../platform/http/problem-shapes.ts';
import type { Exchange } from './exchange.ts';

/** Writes a problem of ours as the answer, and returns its status. */
export function answerProblem(exchange: Exchange, problem: Problem): number {
  const { response, requestId, request, surface, context } = exchange;
  const { status, headers, body } = shapeProblem(problem, surface.shape);
  if (response.headersSent || response.destroyed) return status;
  const text = JSON.stringify(body);
  const all = ['x-request-id', requestId, 'content-type', 'application/json; charset=utf-8'];
  all.push('content-length', String(Buffer.byteLength(text)), ...Object.entries(headers).flat());
  all.push(...context.corsHeaders(request.headers.origin));
  // What is left of a body that was refused would be read only to be thrown away.
  if (!exchange.bodyRead && !request.complete) all.push('connection', 'close');
  response.writeHead(status, all);
  response.end(text);
  return status;
}

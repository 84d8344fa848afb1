import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Problem } from '../../../contracts/problems.ts';
import type { ErrorShape } from '../../../contracts/surfaces.ts';
import { requestIdFrom } from '../requests/request-id.ts';
import { shapeProblem } from './problem-shapes.ts';

/** Sends an error response outside Fastify, unless a response has started or the caller has disconnected. */
export function answerProblem(
  request: IncomingMessage,
  response: ServerResponse,
  problem: Problem,
  shape: ErrorShape,
): void {
  if (response.headersSent || response.destroyed) return;
  const { status, headers, body } = shapeProblem(problem, shape);
  const bytes = Buffer.from(JSON.stringify(body));
  response
    .writeHead(status, {
      ...headers,
      'x-request-id': requestIdFrom(request.headers['x-request-id']),
      'content-type': 'application/json; charset=utf-8',
      'content-length': bytes.length,
    })
    .end(bytes);
}

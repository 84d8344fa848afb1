import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import {
  BadRequest,
  InternalFault,
  NotFound,
  OutOfSpace,
  PayloadTooLarge,
  Problem,
  Unavailable,
  UnsupportedMediaType,
} from '../../../contracts/problems.ts';
import type { ErrorShape } from '../../../contracts/surfaces.ts';
import type { App, Service } from '../service.ts';
import { shapeProblem } from './problem-shapes.ts';

/** Returns a function that finds the error shape of a path: the one with the longest matching prefix. */
export function shapeFinder(surfaces: Service['surfaces']): (url: string) => ErrorShape {
  const longestFirst = surfaces.toSorted((a, b) => b.prefix.length - a.prefix.length);
  return (url) => longestFirst.find(({ prefix }) => isBelow(url, prefix))?.shape ?? 'openai';
}

/** A part of the prefix such as `:slot` matches any one part of the path. */
function isBelow(url: string, prefix: string): boolean {
  if (prefix === '/') return true;
  if (prefix.includes('/:')) return isBelowParts(url, prefix.split('/'));
  if (!url.startsWith(prefix)) return false;
  const next = url[prefix.length];
  return next === undefined || next === '/' || next === '?';
}

function isBelowParts(url: string, prefix: readonly string[]): boolean {
  const parts = (url.split('?', 1)[0] ?? '').split('/', prefix.length);
  return (
    parts.length === prefix.length && prefix.every((part, at) => part.startsWith(':') || part === parts[at])
  );
}

export function handleErrors(app: App, shapeOf: (url: string) => ErrorShape): void {
  const answer = (problem: Problem, request: FastifyRequest, reply: FastifyReply) => {
    const { status, headers, body } = shapeProblem(problem, shapeOf(request.url));
    return reply.code(status).headers(headers).send(body);
  };
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = toProblem(error, request.routeOptions.schema?.consumes?.[0]);
    if (problem.status >= 500) logProblem(request, problem);
    return answer(problem, request, reply);
  });
  app.setNotFoundHandler((request, reply) =>
    answer(new NotFound('path', request.url.split('?')[0] ?? ''), request, reply),
  );
}

/** States that are expected, such as a bot that is not ready, are no errors of the program and need no stack. */
function logProblem({ log }: FastifyRequest, problem: Problem): void {
  if (problem instanceof InternalFault) log.error({ err: problem.cause ?? problem }, problem.message);
  else if (problem.cause !== undefined) log.warn({ err: problem.cause }, problem.message);
  else log.info({ code: problem.code }, problem.message);
}

/** Converts Fastify's errors and unexpected ones into a `Problem`. `accepted` is the media type that the route takes. */
export function toProblem(error: unknown, accepted = 'application/json'): Problem {
  if (error instanceof Problem) return error;
  const { code, statusCode, message } = error as Partial<FastifyError>;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new PayloadTooLarge('the request body is larger than this server accepts', { cause: error });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new UnsupportedMediaType(`send the request body as ${accepted}`, { cause: error });
    case 'FST_ERR_REOPENED_CLOSE_SERVER':
    case 'FST_ERR_SERVER_CLOSED':
      return new Unavailable('the server is shutting down', { retryAfter: 5 });
    case 'ENOSPC':
    case 'EDQUOT':
      return new OutOfSpace('the disk is full', { cause: error });
  }
  if (statusCode === 503) return new Unavailable('the server is shutting down', { retryAfter: 5 });
  if (statusCode && statusCode >= 400 && statusCode < 500)
    return new BadRequest(message ?? 'bad request', { cause: error });
  return new InternalFault('internal error; see the server log for this request id', {
    cause: error,
  });
}

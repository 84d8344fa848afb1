import { Forbidden, type Problem, RateLimited, Unavailable } from '../../contracts/problems.ts';
import { type Budget, secondsLeft } from './budgets.ts';

/** Over a limit, with the headers that OpenAI's clients read. */
export function overLimit({ unit, window, words }: Budget, limit: number, now: number): Problem {
  const kind = window === 'running' ? 'parallel-requests' : unit;
  const retryAfter = secondsLeft(window, now);
  return new RateLimited(`this key is limited to ${limit} ${words}`, {
    retryAfter,
    headers: {
      [`x-ratelimit-limit-${kind}`]: String(limit),
      [`x-ratelimit-remaining-${kind}`]: '0',
      [`x-ratelimit-reset-${kind}`]: `${Math.ceil(retryAfter)}s`,
    },
  });
}

export function limitsUnavailable(): Problem {
  return new Unavailable("this key's limits can't be checked: the database does not answer", {
    code: 'limits_unavailable',
    retryAfter: 5,
  });
}

export function modelNotAllowed(model: string): Problem {
  return new Forbidden(`this key may not use model '${model}'`, {
    code: 'model_not_allowed',
    param: 'model',
  });
}

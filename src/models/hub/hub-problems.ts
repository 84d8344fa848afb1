import {
  BadRequest,
  DeadlineExceeded,
  Forbidden,
  NotFound,
  type Problem,
  RateLimited,
  Unauthenticated,
  UpstreamFailed,
} from '../../contracts/problems.ts';
import type { HubAddress, HubAnswer } from './hub-request.ts';

/** What was asked for, to be named in what a person reads. */
interface Asked {
  repository: string;
  revision?: string;
  file?: string;
}

/** Why the hub or its storage refused, in words that say what to do about it. */
export function hubProblem(hub: HubAddress, answer: HubAnswer, asked: Asked): Problem {
  const { repository, revision = '', file = '' } = asked;
  const { status, headers } = answer;
  const { host } = new URL(answer.url);
  const word = headers['x-error-code'];
  if (word === 'GatedRepo') return gated(hub, repository);
  if (word === 'RevisionNotFound') return new NotFound('revision', `${repository}@${revision}`);
  if (word === 'EntryNotFound') return new NotFound('file', `${repository}/${file}`);
  if (word === 'DisabledRepo') return new Forbidden(`the hub has disabled '${repository}'`);
  if (status === 401 && /invalid credentials/i.test(headers['x-error-message'] ?? '')) {
    return new Unauthenticated(`${host} refused the token in HF_TOKEN: it has expired or is mistyped`);
  }
  // To strangers the hub says 401 of what does not exist as of what is private, so that nothing can be guessed.
  if (word === 'RepoNotFound' || status === 401 || status === 404) return hidden(hub, repository);
  if (status === 403) return new Forbidden(`${host} does not let us read '${repository}'`);
  if (status === 429) {
    return new RateLimited(`${host} asks to slow down`, { retryAfter: secondsToWait(headers) });
  }
  if (status === 416) return new BadRequest(`${host} has fewer bytes of '${file}' than the hub said`);
  if (status === 504) return new DeadlineExceeded(`${host} did not answer in time`);
  return new UpstreamFailed(`${host} answered ${status} for '${repository}'`);
}

function gated(hub: HubAddress, repository: string): Forbidden {
  const page = `${hub.endpoint}/${repository}`;
  const what = hub.token
    ? `the account that the token in HF_TOKEN belongs to has no access: accept the licence at ${page} with that account`
    : `accept its licence at ${page}, then put an access token of that account into HF_TOKEN`;
  return new Forbidden(`'${repository}' is gated; ${what}`, { code: 'gated_model' });
}

function hidden(hub: HubAddress, repository: string): NotFound {
  const what = hub.token
    ? `${repository}' (or the token in HF_TOKEN may not see it) at '${new URL(hub.endpoint).host}`
    : `${repository}' (if it is private, HF_TOKEN must hold an access token) at '${new URL(hub.endpoint).host}`;
  return new NotFound('model', what, { code: 'model_not_found' });
}

/** `Retry-After` in seconds or as a date, or the hub's own `RateLimit: "api";r=0;t=55`. */
function secondsToWait(headers: Record<string, string>): number {
  const text = headers['retry-after'];
  if (text && /^\d+$/.test(text.trim())) return Number(text);
  const date = text ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(date)) return Math.max(1, Math.ceil((date - Date.now()) / 1000));
  return Number(/\bt=(\d+)/.exec(headers.ratelimit ?? '')?.[1] ?? 10);
}

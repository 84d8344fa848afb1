import type { Problem } from '../../contracts/problems.ts';
import { answerProblem, Refused } from '../files/http/answer-problem.ts';
import type { HttpAnswer } from '../files/http/open-address.ts';

export interface HubAddress {
  endpoint: string;
  token?: string | undefined;
}

/** What was asked for, to be named in the message. */
export interface Asked {
  repository: string;
  revision?: string;
  file?: string;
}

/** Why the hub or its storage refused, and what to do about it. Never a status of our own: see `answerProblem`. */
export function hubProblem(hub: HubAddress, answer: HttpAnswer, asked: Asked): Problem {
  const { repository, revision = '', file = '' } = asked;
  const { status, headers } = answer;
  const { host } = new URL(answer.url);
  const code = headers['x-error-code'];
  if (code === 'GatedRepo') return gated(hub, repository);
  if (code === 'RevisionNotFound')
    return new Refused(`${host} has no revision '${revision}' of '${repository}'`);
  if (code === 'EntryNotFound') return new Refused(`${host} has no file '${file}' in '${repository}'`);
  if (code === 'DisabledRepo') return new Refused(`${host} has disabled '${repository}'`);
  if (status === 401 && /invalid credentials/i.test(headers['x-error-message'] ?? '')) {
    return new Refused(`${host} refused the token in HF_TOKEN: it has expired or is mistyped`);
  }
  // Without a token the hub answers 401 for private and for missing repositories alike.
  if (code === 'RepoNotFound' || status === 401 || status === 404) return hidden(hub, repository);
  if (status === 403) return new Refused(`${host} does not allow access to '${repository}'`);
  if (status === 416) return new Refused(`${host} has fewer bytes of '${file}' than the hub lists`);
  return answerProblem(answer);
}

function gated(hub: HubAddress, repository: string): Refused {
  const page = `${hub.endpoint}/${repository}`;
  const what = hub.token
    ? `the account that the token in HF_TOKEN belongs to has no access: accept the licence at ${page} with that account`
    : `accept its licence at ${page}, then put an access token of that account into HF_TOKEN`;
  return new Refused(`the hub refused: '${repository}' is gated; ${what}`, { code: 'gated_model' });
}

function hidden(hub: HubAddress, repository: string): Refused {
  const { host } = new URL(hub.endpoint);
  const hint = hub.token
    ? 'if it is private, the token in HF_TOKEN has no access to it'
    : 'if it is private, put an access token into HF_TOKEN';
  return new Refused(`${host} has no model '${repository}'; ${hint}`, { code: 'unknown_to_hub' });
}

import { BadRequest, NotFound, type Problem, Unavailable } from '../../../contracts/problems.ts';
import type { Endpoint } from '../reading/endpoints.ts';

const longestNameShown = 200;
/** Seconds after which a pod may be back: a running pod reports every few seconds. */
const retryAfter = 5;

export function unknownModel(model: string): Problem {
  const name = model.length > longestNameShown ? `${model.slice(0, longestNameShown)}…` : model;
  return new NotFound('model', name, { code: 'model_not_found', param: 'model' });
}

export function noSoleModel(): Problem {
  const why = 'the request names no model, and there is not exactly one to choose from: set model';
  return new BadRequest(why, { code: 'model_required', param: 'model' });
}

export function wrongTask(model: string, { path }: Endpoint): Problem {
  return new BadRequest(`model '${model}' can't be used at ${path}`, { code: 'wrong_task', param: 'model' });
}

export function noPod(model: string): Problem {
  return new Unavailable(`no pod that serves '${model}' is up at present`, {
    code: 'no_live_pod',
    retryAfter,
  });
}

export function busy(why: string): Problem {
  return new Unavailable(`all pods are busy: ${why}`, { code: 'overloaded', retryAfter });
}

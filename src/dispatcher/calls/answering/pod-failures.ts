import { DeadlineExceeded, type Problem, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';
import type { CallFailure } from '../../wire/pod-connection.ts';

/** Seconds after which a pod may be back: a running pod reports every few seconds. */
const retryAfter = 5;

/** What the caller is told of a pod's failure. */
export function problemOf(why: CallFailure): Problem {
  if (isSilence(why)) return new DeadlineExceeded('the pod did not answer in time');
  if (why === 'not_http') return new UpstreamFailed('the pod answered with something that is not HTTP');
  return podGone();
}

export function podGone(): Problem {
  return new Unavailable('the pod that served this model is gone', { code: 'pod_unavailable', retryAfter });
}

export function isSilence(why: CallFailure): boolean {
  return why === 'first_byte_timeout' || why === 'idle_timeout';
}

/** Whether the pod seems to have closed an idle connection just as it was reused. */
export function isStale(why: CallFailure): boolean {
  return why === 'closed' || why === 'ECONNRESET' || why === 'EPIPE';
}

/** Whether a pod, or a proxy in front of it, says that it can't serve at present. Another pod may be able to. */
export function isUnable(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

import { BadRequest, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';

/** The code of the problem that nothing answers at the dispatcher's address. */
export const unreachableCode = 'dispatcher_unreachable';

export function unreachable(cause: unknown): Unavailable {
  return new Unavailable('the dispatcher does not answer', { code: unreachableCode, cause });
}

export function cutOff(cause?: unknown): UpstreamFailed {
  return new UpstreamFailed('the answer was cut off before its end', { code: 'answer_cut_off', cause });
}

const allowed = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A line break in a header would smuggle in another one. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!allowed.test(value)) {
      throw new BadRequest(`the header '${name}' has characters that HTTP does not allow`);
    }
  }
}

import type { Clock } from '../../contracts/clock.ts';
import { RateLimited } from '../../contracts/problems.ts';
import type { Database } from '../../platform/database/database.ts';
import { subscriberOf } from '../../platform/http/requests/subscriber-of.ts';
import { countAttempt, forgetAttemptsBefore } from './registration-store.ts';

export interface RegistrationLimits {
  registrations_per_hour: number;
  registrations_per_hour_in_all: number;
}

const hourLength = 3_600_000;

/** Counts an attempt to register, and refuses it where there were too many. Processes that share a database count together. */
export async function limitRegistrations(
  { database, clock }: { database: Database; clock: Clock },
  address: string,
  limits: RegistrationLimits,
): Promise<void> {
  const now = clock.now();
  const hour = Math.floor(now / hourLength);
  const isAllowed = await database.transaction(async (session) => {
    await forgetAttemptsBefore(session, hour);
    const own = await countAttempt(session, subscriberOf(address), hour);
    // Not counted for all: one address would lock out everyone else.
    if (own > limits.registrations_per_hour) return false;
    return (await countAttempt(session, '*', hour)) <= limits.registrations_per_hour_in_all;
  });
  if (isAllowed) return;
  throw new RateLimited('too many registrations in this hour: try again later', {
    retryAfter: Math.ceil(((hour + 1) * hourLength - now) / 1000),
  });
}

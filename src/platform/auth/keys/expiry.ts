import type { Clock } from '../../../contracts/clock.ts';
import { InvalidInput } from '../../../contracts/problems.ts';

/** Milliseconds of a key's expiry, which must lie ahead; null where it never expires. */
export function checkExpiry(clock: Clock, written: string | null | undefined): number | null {
  if (written == null) return null;
  const expiresAt = Date.parse(written);
  if (expiresAt > clock.now()) return expiresAt;
  const msg = 'Value error, must be in the future';
  throw new InvalidInput([{ loc: ['body', 'expires_at'], msg, type: 'value_error' }]);
}

import type { Clock } from '../../contracts/clock.ts';
import type { KeyRing } from '../../platform/auth/key-ring.ts';
import type { Database } from '../../platform/database/database.ts';
import type { HostedSettings } from '../settings.ts';
import type { RegistrationLimits } from './limit-registrations.ts';

export interface AccountDependencies {
  database: Database;
  clock: Clock;
  ring: Pick<KeyRing, 'refresh'>;
  settings: RegistrationLimits &
    Pick<HostedSettings['hosted'], 'limits'> & { registration: 'open' | 'approval' | 'closed' };
}

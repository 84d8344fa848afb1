import { randomUUID } from 'node:crypto';
import type { Actor } from '../../contracts/actor.ts';
import type { RegisterRequest, RegisterResponse } from '../../contracts/hosted/accounts.ts';
import { Conflict, Forbidden } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import { newKey, storeNewKey } from '../../platform/auth/keys/new-key.ts';
import type { AccountDependencies } from './account-dependencies.ts';
import { insertAccount } from './account-store.ts';
import { limitRegistrations } from './limit-registrations.ts';

interface Registration extends RegisterRequest {
  /** The network address of the caller. */
  address: string;
}

/** Creates an account with an inference key. The key is pending where registrations need approval. */
export async function registerAccount(
  deps: AccountDependencies,
  actor: Actor,
  { email: written, name: givenName, address }: Registration,
): Promise<RegisterResponse> {
  const { database, clock, ring, settings } = deps;
  if (settings.registration === 'closed') {
    throw new Forbidden('registration is closed: ask an administrator for a key');
  }
  await limitRegistrations(deps, address, settings);
  const email = written.toLowerCase();
  const name = givenName ?? null;
  const status = settings.registration === 'open' ? 'active' : 'pending';
  const request = {
    name: name ?? email,
    owner: email,
    scopes: ['inference' as const],
    limits: settings.limits,
  };
  const { stored, key } = newKey(clock, request, status === 'pending');
  const id = randomUUID();
  const account = { id, email, name, status, key_id: stored.id, created_at: clock.now() } as const;
  await database.transaction(async (session) => {
    const decided_at = status === 'active' ? clock.now() : null;
    if (!(await insertAccount(session, { ...account, decided_at }))) {
      throw new Conflict(`${email} is already registered: use its key, or ask an administrator`);
    }
    await storeNewKey({ session, clock }, actor, stored);
    const details = { email, name, status };
    await recordAction({ session, clock }, actor, { action: 'account.register', subject: id, details });
  });
  await ring.refresh();
  return { id, email, name, status, key };
}

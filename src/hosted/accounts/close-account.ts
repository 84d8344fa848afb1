import type { Actor } from '../../contracts/actor.ts';
import type { Account } from '../../contracts/hosted/accounts.ts';
import { Conflict, NotFound } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import { findKey } from '../../platform/auth/key-store.ts';
import { revokeStoredKey } from '../../platform/auth/keys/revoke-key.ts';
import type { AccountDependencies } from './account-dependencies.ts';
import { decideAccount, findAccount } from './account-store.ts';
import { describeAccount } from './describe-accounts.ts';

/** Refuses a pending account, or closes an active one, and revokes its key. */
export async function closeAccount(
  { database, clock, ring }: AccountDependencies,
  actor: Actor,
  id: string,
): Promise<Account> {
  const closed = await database.transaction(async (session) => {
    const account = await findAccount(session, id);
    if (!account) throw new NotFound('account', id);
    const { email, status, key_id } = account;
    const decided = { status: 'closed' as const, decided_at: clock.now() };
    if (status === 'closed' || !(await decideAccount(session, account, decided))) {
      throw new Conflict(`the account of ${email} is already closed`);
    }
    const key = await findKey(session, key_id);
    const revoked =
      key && key.revokedAt === null ? await revokeStoredKey({ session, clock }, actor, key_id) : key;
    const details = { email, before: status };
    await recordAction({ session, clock }, actor, { action: 'account.close', subject: id, details });
    return describeAccount({ ...account, ...decided }, revoked);
  });
  await ring.refresh();
  return closed;
}

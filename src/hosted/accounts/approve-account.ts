import type { Actor } from '../../contracts/actor.ts';
import type { Account, ApproveRequest } from '../../contracts/hosted/accounts.ts';
import { Conflict, NotFound } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import { updateKeyRow } from '../../platform/auth/key-store.ts';
import { requireValidKey } from '../../platform/auth/keys/valid-key.ts';
import type { AccountDependencies } from './account-dependencies.ts';
import { decideAccount, findAccount } from './account-store.ts';
import { describeAccount } from './describe-accounts.ts';

/** Approves a pending account: its key works from now on. */
export async function approveAccount(
  { database, clock, ring }: AccountDependencies,
  actor: Actor,
  { id, limits }: ApproveRequest & { id: string },
): Promise<Account> {
  const approved = await database.transaction(async (session) => {
    const account = await findAccount(session, id);
    if (!account) throw new NotFound('account', id);
    const { email, status } = account;
    const decided = { status: 'active' as const, decided_at: clock.now() };
    if (status !== 'pending' || !(await decideAccount(session, account, decided))) {
      throw new Conflict(
        `the account of ${email} is ${status === 'pending' ? 'being decided' : `already ${status}`}`,
      );
    }
    const key = await requireValidKey(session, account.key_id, 'approved');
    const active = { ...key, pending: false, limits: limits ?? key.limits };
    await updateKeyRow(session, active);
    const details = { email, limits: active.limits };
    await recordAction({ session, clock }, actor, { action: 'account.approve', subject: id, details });
    return describeAccount({ ...account, ...decided }, active);
  });
  await ring.refresh();
  return approved;
}

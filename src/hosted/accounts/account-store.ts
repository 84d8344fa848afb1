import type { Session } from '../../platform/database/database.ts';
import type { HostedAccountRow } from '../tables.ts';

/** Returns false where the e-mail address has an account already. */
export async function insertAccount({ query }: Session, account: HostedAccountRow): Promise<boolean> {
  const result = await query
    .insertInto('hosted_accounts')
    .values(account)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function findAccount({ query }: Session, id: string): Promise<HostedAccountRow | undefined> {
  return query.selectFrom('hosted_accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function listAccounts(
  { query }: Session,
  status: HostedAccountRow['status'] | undefined,
): Promise<HostedAccountRow[]> {
  let rows = query.selectFrom('hosted_accounts').selectAll();
  if (status) rows = rows.where('status', '=', status);
  return rows.orderBy('created_at').orderBy('id').execute();
}

/** Returns false where the account's status has changed in the meantime. */
export async function decideAccount(
  { query }: Session,
  { id, status }: Pick<HostedAccountRow, 'id' | 'status'>,
  decided: Pick<HostedAccountRow, 'status' | 'decided_at'>,
): Promise<boolean> {
  const result = await query
    .updateTable('hosted_accounts')
    .set(decided)
    .where('id', '=', id)
    .where('status', '=', status)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

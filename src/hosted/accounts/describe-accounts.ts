import type { Account, AccountQuery } from '../../contracts/hosted/accounts.ts';
import { listKeys, type StoredKey } from '../../platform/auth/key-store.ts';
import { describeKey } from '../../platform/auth/keys/describe-keys.ts';
import type { Session } from '../../platform/database/database.ts';
import type { HostedAccountRow } from '../tables.ts';
import { listAccounts } from './account-store.ts';

export async function describeAccounts(
  { database }: { database: Session },
  { status }: AccountQuery,
): Promise<Account[]> {
  const keys = new Map((await listKeys(database)).map((key) => [key.id, key]));
  const accounts = await listAccounts(database, status);
  return accounts.map((account) => describeAccount(account, keys.get(account.key_id)));
}

export function describeAccount(account: HostedAccountRow, key: StoredKey | undefined): Account {
  const { id, email, name, status, created_at, decided_at } = account;
  return {
    id,
    email,
    name,
    status,
    created_at: new Date(created_at).toISOString(),
    decided_at: decided_at === null ? null : new Date(decided_at).toISOString(),
    key: key ? describeKey(key) : null,
  };
}

import { type Selectable, sql } from 'kysely';
import type { ApiKeyLimits, Scope } from '../../contracts/api-keys.ts';
import type { Session } from '../database/database.ts';
import { fromJson, toJson } from '../database/json-column.ts';
import type { ApiKeyRow } from './tables.ts';

/** A key as stored: its hash instead of the key itself. Times are in milliseconds. */
export interface StoredKey {
  id: string;
  name: string;
  owner: string | null;
  prefix: string;
  hash: string;
  scopes: Scope[];
  limits: ApiKeyLimits;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
  /** Not valid until an administrator approves it. */
  pending: boolean;
}

export async function listKeys({ query }: Session): Promise<StoredKey[]> {
  const rows = await query.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map(fromRow);
}

export async function findKey({ query }: Session, id: string): Promise<StoredKey | undefined> {
  const row = await query.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
  return row && fromRow(row);
}

export async function insertKey({ query }: Session, key: StoredKey, version = 1): Promise<void> {
  await query
    .insertInto('api_keys')
    .values({ ...toRow(key), version })
    .execute();
}

export async function deleteKeys({ query }: Session, ids: readonly string[]): Promise<void> {
  await query.deleteFrom('api_keys').where('id', 'in', ids).execute();
}

export async function replaceHash(
  { query }: Session,
  id: string,
  hash: string,
  prefix: string,
): Promise<void> {
  await query
    .updateTable('api_keys')
    .set({ hash, prefix, revoked_at: null, version: sql`version + 1` })
    .where('id', '=', id)
    .execute();
}

/** Replaces what an administrator may change about a key. */
export async function updateKeyRow(
  { query }: Session,
  { id, name, owner, scopes, limits, expiresAt, pending }: StoredKey,
): Promise<void> {
  await query
    .updateTable('api_keys')
    .set({
      name,
      owner,
      scopes: toJson(scopes),
      limits: toJson(limits),
      expires_at: expiresAt,
      pending: pending ? 1 : 0,
      version: sql`version + 1`,
    })
    .where('id', '=', id)
    .execute();
}

/** Returns whether the key existed and was not already revoked. */
export async function markRevoked({ query }: Session, id: string, at: number): Promise<boolean> {
  const result = await query
    .updateTable('api_keys')
    .set({ revoked_at: at, version: sql`version + 1` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function recordUse({ query }: Session, id: string, at: number): Promise<void> {
  await query.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute();
}

/** Differs after every change: each one increments its row's version, and rows that are deleted have random ones. */
export async function revisionOfKeys({ query }: Session): Promise<number> {
  const { revision } = await query
    .selectFrom('api_keys')
    .select(sql<number | null>`sum(version)`.as('revision'))
    .executeTakeFirstOrThrow();
  return Number(revision ?? 0);
}

function toRow(key: StoredKey) {
  return {
    id: key.id,
    name: key.name,
    owner: key.owner,
    prefix: key.prefix,
    hash: key.hash,
    scopes: toJson(key.scopes),
    limits: toJson(key.limits),
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.lastUsedAt,
    pending: key.pending ? 1 : 0,
  };
}

function fromRow(row: Selectable<ApiKeyRow>): StoredKey {
  return {
    id: row.id,
    name: row.name,
    owner: row.owner,
    prefix: row.prefix,
    hash: row.hash,
    scopes: fromJson(row.scopes),
    limits: fromJson(row.limits),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    pending: row.pending === 1,
  };
}

import type { Generated } from 'kysely';

declare module '../database/tables.ts' {
  interface Tables {
    api_keys: ApiKeyRow;
  }
}

export interface ApiKeyRow {
  id: string;
  name: string;
  owner: string | null;
  /** The first characters of the key, so that people can tell keys apart. */
  prefix: string;
  hash: string;
  scopes: string;
  limits: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  /** 1 until an administrator approves the key's account. */
  pending: Generated<number>;
  version: Generated<number>;
}

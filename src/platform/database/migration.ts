import { type ColumnDataType, type Expression, type Kysely, sql } from 'kysely';
import type { DialectName } from './database.ts';

/** A schema change. It runs in its own transaction, works on both databases, and never changes once released. */
export interface Migration {
  number: number;
  name: string;
  up(query: Kysely<unknown>, dialect: DialectName): Promise<void>;
}

/** An auto-incremented primary key whose values are never reused. */
export function countingKey(dialect: DialectName): ColumnDataType | Expression<unknown> {
  return dialect === 'sqlite'
    ? sql`integer primary key autoincrement`
    : sql`bigint generated always as identity primary key`;
}

import { type ColumnDataType, type Expression, type Kysely, sql } from 'kysely';
import type { DialectName } from './database.ts';

/** One step forward. It runs in a transaction of its own, on both databases, and never changes once released. */
export interface Migration {
  number: number;
  name: string;
  up(query: Kysely<unknown>, dialect: DialectName): Promise<void>;
}

/** A primary key the database counts up by itself and never gives twice. */
export function countingKey(dialect: DialectName): ColumnDataType | Expression<unknown> {
  return dialect === 'sqlite'
    ? sql`integer primary key autoincrement`
    : sql`bigint generated always as identity primary key`;
}

/**
 * Rows as stored, identical on both databases: timestamps are integer milliseconds, flags are 0 or 1, and
 * `*_json` columns hold JSON text (see `json-column.ts`). Each room adds its own tables in its `tables.ts`.
 */
export interface Tables {
  schema_migrations: SchemaMigrationRow;
}

interface SchemaMigrationRow {
  number: number;
  name: string;
  applied_at: number;
}

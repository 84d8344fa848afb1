import type Sqlite from 'better-sqlite3';
import type { Point } from '../../vector-store.ts';
import { Damaged, type PointRow, rowsOf, type VectorRow } from './point-rows.ts';
import { copyPointsFile, openPointsFile } from './points-file.ts';

const ROW = 'id, "group", scale, codes, terms, checksum';

/** The file of one collection. Each change gets the next number, so that readers find what is new to them. */
export class PointsStore {
  readonly #sqlite: Sqlite.Database;
  readonly #statements = new Map<string, Sqlite.Statement>();

  constructor(file: string) {
    this.#sqlite = openPointsFile(file);
  }

  /** Throws `Damaged` if the structure of the file is broken. */
  check(): void {
    const result = this.#pragma('quick_check(1)');
    if (result !== 'ok') throw new Damaged(String(result));
  }

  /** Changes whenever another connection has written. */
  dataVersion(): number {
    return this.#pragma('data_version') as number;
  }

  state(): { dimensions: number | null; change: number } {
    return this.#statement('select dimensions, change from state').get() as never;
  }

  setDimensions(dimensions: number): void {
    this.#statement('update state set dimensions = ?').run(dimensions);
  }

  /** Runs `action` in a transaction that no other process can write during. */
  write<Result>(action: () => Result): Result {
    return this.#sqlite.transaction(action).immediate();
  }

  /** Only inside of `write`. */
  upsert(points: readonly Point[]): void {
    this.#statement('update state set change = change + 1').run();
    const { change } = this.state();
    const insertPoint = this.#statement(
      `insert or replace into points (${ROW}, change) values (?, ?, ?, ?, ?, ?, ?)`,
    );
    const insertVector = this.#statement(
      'insert or replace into vectors (id, vector, sentences) values (?, ?, ?)',
    );
    const deleteVector = this.#statement('delete from vectors where id = ?');
    for (const each of points) {
      const { point, vector } = rowsOf(each);
      const { id, group, scale, codes, terms, checksum } = point;
      insertPoint.run(id, group, scale, codes, terms, checksum, change);
      if (vector) insertVector.run(id, vector.vector, vector.sentences);
      else deleteVector.run(id);
    }
  }

  /** Only inside of `write`. Returns the number of points. */
  remove(groups: readonly number[]): number {
    const deleteVectors = this.#statement(
      'delete from vectors where id in (select id from points where "group" = ?)',
    );
    const deletePoints = this.#statement('delete from points where "group" = ?');
    let removed = 0;
    for (const group of groups) {
      deleteVectors.run(group);
      removed += deletePoints.run(group).changes;
    }
    return removed;
  }

  /** Empties the write-ahead log, where deleted rows remain otherwise. Returns whether that was possible. */
  emptyLog(): boolean {
    const [result] = this.#sqlite.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    return result?.busy === 0;
  }

  count(): number {
    return (this.#statement('select count(*) as count from points').get() as { count: number }).count;
  }

  groupSizes(): Map<number, number> {
    const rows = this.#statement('select "group", count(*) as size from points group by "group"').all();
    return new Map((rows as { group: number; size: number }[]).map(({ group, size }) => [group, size]));
  }

  idsOfGroup(group: number): Set<number> {
    const rows = this.#statement('select id from points where "group" = ?').all(group) as { id: number }[];
    return new Set(rows.map(({ id }) => id));
  }

  /** Rows in the order of their ids. */
  rowsAfter(id: number, limit: number): PointRow[] {
    return this.#statement(`select ${ROW} from points where id > ? order by id limit ?`).all(
      id,
      limit,
    ) as PointRow[];
  }

  /** Rows of later changes, in the order of change and id. */
  rowsChangedAfter(change: number, id: number, limit: number): (PointRow & { change: number })[] {
    return this.#statement(
      `select ${ROW}, change from points where (change, id) > (?, ?) order by change, id limit ?`,
    ).all(change, id, limit) as (PointRow & { change: number })[];
  }

  vector(id: number): Uint8Array | undefined {
    const row = this.#statement('select vector from vectors where id = ?').get(id);
    return (row as Pick<VectorRow, 'vector'> | undefined)?.vector;
  }

  sentences(id: number): Uint8Array | undefined {
    const row = this.#statement('select sentences from vectors where id = ?').get(id);
    return (row as Pick<VectorRow, 'sentences'> | undefined)?.sentences ?? undefined;
  }

  copyTo(file: string): Promise<void> {
    return copyPointsFile(this.#sqlite, file);
  }

  close(): void {
    this.#sqlite.close();
  }

  #pragma(text: string): unknown {
    return this.#sqlite.pragma(text, { simple: true });
  }

  #statement(text: string): Sqlite.Statement {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#sqlite.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

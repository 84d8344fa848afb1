import Sqlite from 'better-sqlite3';
import { Conflict, NotFound } from '../../../src/contracts/problems.ts';
import type { VectorStore } from '../../../src/platform/vectors/vector-store.ts';

interface StoredCollection {
  name: string;
  dimensions: number | null;
}

/** The smallest store that keeps its promises: it survives a kill, and searches by common terms only. */
export function openPlainVectors(file: string): VectorStore {
  const sqlite = new Sqlite(file);
  sqlite.pragma('journal_mode = WAL');
  sqlite.exec(`
    create table if not exists collections (name text primary key, dimensions integer);
    create table if not exists points (collection text, id integer, grp integer, payload text, primary key (collection, id));
  `);
  const collectionOf = (name: string) =>
    sqlite.prepare('select * from collections where name = ?').get(name) as StoredCollection | undefined;
  const insert = sqlite.prepare('insert or replace into points values (?, ?, ?, ?)');
  return {
    async ensure(name, { dimensions }) {
      const present = collectionOf(name);
      if (!present) sqlite.prepare('insert into collections values (?, ?)').run(name, dimensions);
      else if (present.dimensions === null)
        sqlite.prepare('update collections set dimensions = ? where name = ?').run(dimensions, name);
      else if (dimensions !== null && present.dimensions !== dimensions)
        throw new Conflict(`${name} has other dimensions: ${present.dimensions}, not ${dimensions}`);
    },
    async upsert(name, points) {
      if (!collectionOf(name)) throw new NotFound('collection', name);
      sqlite.transaction(() => {
        for (const { id, group, payload } of points)
          insert.run(name, id, group, JSON.stringify(payload ?? null));
      })();
    },
    async remove(name, groups) {
      const statement = sqlite.prepare('delete from points where collection = ? and grp = ?');
      return groups.reduce((sum, group) => sum + statement.run(name, group).changes, 0);
    },
    async search(name, { limit, hidden = [] }) {
      const rows = sqlite
        .prepare('select id, grp from points where collection = ? order by id')
        .all(name) as {
        id: number;
        grp: number;
      }[];
      return rows
        .filter(({ grp }) => !hidden.includes(grp))
        .slice(0, limit)
        .map(({ id, grp }) => ({ id, group: grp, dense: null, sentence: null, lexical: 1 }));
    },
    async count(name) {
      const rows = sqlite
        .prepare('select grp, count(*) as points from points where collection = ? group by grp')
        .all(name) as { grp: number; points: number }[];
      return new Map(rows.map(({ grp, points }) => [grp, points]));
    },
    async copy(from, to) {
      sqlite.transaction(() => {
        sqlite.prepare('delete from points where collection = ?').run(to);
        sqlite
          .prepare('insert or replace into collections select ?, dimensions from collections where name = ?')
          .run(to, from);
        sqlite
          .prepare('insert into points select ?, id, grp, payload from points where collection = ?')
          .run(to, from);
      })();
    },
    async drop(name) {
      sqlite.transaction(() => {
        sqlite.prepare('delete from points where collection = ?').run(name);
        sqlite.prepare('delete from collections where name = ?').run(name);
      })();
    },
    async list() {
      const rows = sqlite
        .prepare(
          'select name, dimensions, (select count(*) from points where collection = name) as points from collections order by name',
        )
        .all();
      return rows as { name: string; dimensions: number | null; points: number }[];
    },
    async check() {},
    async close() {
      sqlite.close();
    },
  };
}

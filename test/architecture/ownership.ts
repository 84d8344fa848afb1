import { posix } from 'node:path';
import type { SourceFile } from './source-file.ts';

const assembled = ['src/settings.ts', 'src/migrations.ts'];

/** A room's tables, settings and migrations are used by nobody else. */
export function foreignUses(sources: readonly SourceFile[]): string[] {
  return [...foreignImports(sources), ...foreignQueries(sources), ...twiceDeclared(sources)];
}

function foreignImports(sources: readonly SourceFile[]): string[] {
  return sources.flatMap(({ path, imports }) =>
    imports
      .map(({ target }) => target)
      .filter((target) => isOwned(target) && !assembled.includes(path) && !isInside(path, roomOf(target)))
      .map((target) => `${path} imports ${target}: only ${roomOf(target)} may use it`),
  );
}

/** Migrations are left out: an old one may have created a table that has moved to another room since. */
function foreignQueries(sources: readonly SourceFile[]): string[] {
  const owners = new Map(
    sources.flatMap(({ path, declares }) => declares.map((table) => [table, roomOf(path)] as const)),
  );
  return sources
    .filter(({ path }) => !path.includes('/migrations/'))
    .flatMap(({ path, queries }) =>
      queries.flatMap((table) => {
        const owner = owners.get(table);
        if (owner === undefined || isInside(path, owner)) return [];
        return [`${path} queries ${table}: only ${owner} may use it`];
      }),
    );
}

function twiceDeclared(sources: readonly SourceFile[]): string[] {
  const seen = new Map<string, string>();
  return sources.flatMap(({ path, declares }) =>
    declares.flatMap((table) => {
      const other = seen.get(table);
      seen.set(table, path);
      return other ? [`${path} declares ${table}, which is declared in ${other}`] : [];
    }),
  );
}

const isOwned = (path: string) => /^src\/.+\/(settings\.ts|tables\.ts|migrations\/[^/]+\.ts)$/.test(path);

/** The database's own `tables.ts` is the list that rooms add to: augmenting it is not using it. */
const roomOf = (path: string) =>
  posix
    .dirname(path)
    .replace(/\/migrations$/, '')
    .replace(/^src\/platform\/database$/, 'src');

const isInside = (path: string, room: string) => path.startsWith(`${room}/`);

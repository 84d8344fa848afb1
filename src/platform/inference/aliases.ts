import type { InferenceSurface } from '../../contracts/surfaces.ts';

/** Other names for served models. Each leads to the served name itself. */
export type Aliases = ReadonlyMap<string, string>;

/** The aliases that lead back to themselves, as `a → b → a`; empty where none does. */
export function circlesIn(written: Readonly<Record<string, string>>): string[] {
  const targets = new Map(Object.entries(written));
  return [...targets.keys()].flatMap((alias) => {
    const way = wayFrom(alias, targets);
    return way.length > 1 && way.at(-1) === alias ? [way.join(' → ')] : [];
  });
}

/** The served name that each alias stands for; an alias may name another alias. */
export function resolveAliases(written: Readonly<Record<string, string>>): Aliases {
  const targets = new Map(Object.entries(written));
  return new Map(Array.from(targets.keys(), (alias) => [alias, wayFrom(alias, targets).at(-1) ?? alias]));
}

function wayFrom(alias: string, targets: ReadonlyMap<string, string>): string[] {
  const way = [alias];
  for (let next = targets.get(alias); next !== undefined; next = targets.get(next)) {
    const isKnown = way.includes(next);
    way.push(next);
    if (isKnown) break;
  }
  return way;
}

/** A surface's own names, such as those of replaced models, with the aliases; an alias may lead to one of them. */
export function withAliases(own: InferenceSurface['aliases'], aliases: Aliases): InferenceSurface['aliases'] {
  if (aliases.size === 0) return own;
  const led = Array.from(aliases, ([alias, target]) => [alias, own.get(target) ?? target] as const);
  return new Map([...own, ...led]);
}

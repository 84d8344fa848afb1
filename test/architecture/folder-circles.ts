import type { SourceFile } from './source-file.ts';

/**
 * Circles between a folder and its neighbours, at every depth, types included. Inside a folder its files and its
 * subfolders are neighbours; a circle counts when at least one of them is a subfolder.
 */
export function folderCircles(sources: readonly SourceFile[]): string[] {
  const graphs = new Map<string, Map<string, Set<string>>>();
  for (const { path, imports } of sources) {
    for (const { target } of imports) {
      if (!target.startsWith('src/')) continue;
      const shared = sharedFolder(path, target);
      const [from, to] = [childOf(shared, path), childOf(shared, target)];
      if (from === to) continue;
      const graph = graphs.get(shared) ?? new Map<string, Set<string>>();
      graphs.set(shared, graph);
      graph.set(from, (graph.get(from) ?? new Set()).add(to));
    }
  }
  return [...graphs].flatMap(([folder, graph]) =>
    circlesIn(graph).map(
      (circle) => `${folder}: ${circle.join(' → ')}: folders don't import each other in a circle`,
    ),
  );
}

/** The innermost folder that holds both files. */
function sharedFolder(one: string, other: string): string {
  const [a, b] = [one.split('/').slice(0, -1), other.split('/').slice(0, -1)];
  let depth = 0;
  while (depth < a.length && a[depth] === b[depth]) depth++;
  return a.slice(0, depth).join('/');
}

function childOf(folder: string, path: string): string {
  return path.slice(folder.length + 1).split('/')[0] ?? '';
}

/** For each subfolder that can reach itself, the shortest way back. */
function circlesIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const found = new Map<string, string[]>();
  for (const start of graph.keys()) {
    const circle = isFolder(start) ? wayBack(graph, start) : undefined;
    const key = circle && [...new Set(circle)].sort().join();
    if (key && !found.has(key)) found.set(key, circle);
  }
  return [...found.values()];
}

const isFolder = (name: string) => !name.includes('.');

function wayBack(graph: ReadonlyMap<string, ReadonlySet<string>>, start: string): string[] | undefined {
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (let way = ways.shift(); way; way = ways.shift()) {
    for (const next of graph.get(way.at(-1) as string) ?? []) {
      if (next === start) return [...way, start];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}

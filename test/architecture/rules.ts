import type { Import, SourceFile } from './source-file.ts';

const services = [
  'dispatcher',
  'management',
  'hosted',
  'document-index',
  'chatbot',
  'console',
  'pod',
  'launchers',
];

/** From the ground up: a room imports what lies below it. */
const floors = [['contracts'], ['platform'], ['documents', 'models'], services, ['server.ts'], ['cli']];

const withoutDatabase = ['src/dispatcher/calls/', 'src/dispatcher/routing/'];
const podMayImport = [
  'src/pod/',
  'src/contracts/',
  'src/platform/config/',
  'src/platform/http/',
  'src/platform/telemetry/',
];

/** What breaks the rules of the house, each as "file imports target: rule". */
export function violations(sources: SourceFile[]): string[] {
  const production = sources.filter((source) => !isTest(source.path));
  return [
    ...production.flatMap((source) => source.imports.flatMap((it) => report(source, it))),
    ...production.filter(isRoomless).map((source) => `${source.path}: it lies in no room of the house`),
    ...environmentReaders(production),
    ...roomCycles(production),
    ...fileCycles(production),
  ];
}

function report(source: SourceFile, imported: Import): string[] {
  return rulesBroken(source.path, imported.target).map(
    (rule) => `${source.path} imports ${imported.target}: ${rule}`,
  );
}

function rulesBroken(from: string, to: string): string[] {
  const broken: string[] = [];
  if (isTest(to) || /^(test|bench|scripts|bootstrap)\//.test(to) || /^vitest(\/|$)/.test(to)) {
    broken.push('src never imports tests, benchmarks or scripts');
  }
  if (!to.startsWith('src/')) return broken;
  const [fromRoom, toRoom] = [topRoom(from), topRoom(to)];
  if (fromRoom !== toRoom && floor(fromRoom) === floor(toRoom))
    broken.push('services never import each other');
  if (floor(fromRoom) < floor(toRoom)) {
    broken.push('the arrows are contracts ← platform ← documents ← services ← server.ts ← cli');
  }
  if (withoutDatabase.some((folder) => from.startsWith(folder)) && to.startsWith('src/platform/database/')) {
    broken.push('dispatcher/calls and dispatcher/routing never touch the database');
  }
  if (fromRoom === 'pod' && !podMayImport.some((folder) => to.startsWith(folder))) {
    broken.push('pod imports only contracts, platform/config, platform/http and platform/telemetry');
  }
  return broken;
}

function environmentReaders(sources: SourceFile[]): string[] {
  const readers = sources.filter((source) => source.readsEnvironment).map((source) => source.path);
  const atHome = readers.filter((path) => path.startsWith('src/platform/config/'));
  const elsewhere = readers.filter((path) => !atHome.includes(path)).concat(atHome.slice(1));
  return elsewhere.map((path) => `${path} reads process.env: one file of platform/config alone does`);
}

/** A room is a folder below src, and each folder of the platform is one of its own. */
function roomCycles(sources: SourceFile[]): string[] {
  const arrows = new Map<string, Set<string>>();
  for (const source of sources) {
    for (const { target } of source.imports) {
      if (isOwnTable(source.path, target)) continue;
      if (target.startsWith('src/') && room(target) !== room(source.path)) {
        arrows.set(room(source.path), (arrows.get(room(source.path)) ?? new Set()).add(room(target)));
      }
    }
  }
  return cycles(arrows).map((cycle) => `${cycle.join(' → ')}: rooms don't import each other in a circle`);
}

/** The database's lists name the tables and migrations that other rooms own; those rooms use the database. */
function isOwnTable(from: string, to: string): boolean {
  const lists = ['src/platform/database/tables.ts', 'src/platform/database/migrations/index.ts'];
  return lists.includes(from) && /\/(tables\.ts|migrations\/[^/]+)$/.test(to);
}

/** Types vanish before the files are loaded, so only what is left can meet itself half loaded. */
function fileCycles(sources: SourceFile[]): string[] {
  const arrows = new Map<string, Set<string>>();
  for (const source of sources) {
    const loaded = source.imports.filter((it) => !it.typeOnly && it.target.startsWith('src/'));
    arrows.set(source.path, new Set(loaded.map((it) => it.target)));
  }
  return cycles(arrows).map((cycle) => `${cycle.join(' → ')}: files don't import each other in a circle`);
}

/** One cycle for each place where a walk along the arrows comes back to where it has been. */
function cycles(arrows: Map<string, Set<string>>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const walk = (place: string, way: string[]) => {
    const seen = way.indexOf(place);
    if (seen >= 0) found.push([...way.slice(seen), place]);
    if (seen >= 0 || done.has(place)) return;
    for (const next of arrows.get(place) ?? []) walk(next, [...way, place]);
    done.add(place);
  };
  for (const place of arrows.keys()) walk(place, []);
  return found;
}

function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path);
}

function topRoom(path: string): string {
  return path.split('/')[1] ?? '';
}

function room(path: string): string {
  const parts = path.split('/');
  return parts[1] === 'platform' && parts.length > 3 ? `platform/${parts[2]}` : (parts[1] ?? '');
}

function floor(name: string): number {
  return floors.findIndex((rooms) => rooms.includes(name));
}

function isRoomless(source: SourceFile): boolean {
  return floor(topRoom(source.path)) < 0;
}

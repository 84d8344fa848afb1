import { folderCircles } from './folder-circles.ts';
import { foreignInput } from './foreign-input.ts';
import { foreignUses } from './ownership.ts';
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

/** From the lowest floor up: a room imports only from lower floors. */
const floors = [
  ['contracts'],
  ['platform'],
  ['documents', 'models'],
  services,
  ['migrations.ts', 'settings.ts'],
  ['assistants.ts'],
  ['parts.ts'],
  ['server.ts'],
  ['cli'],
];

const withoutDatabase = ['src/dispatcher/calls/', 'src/dispatcher/routing/'];
const podMayImport = [
  'src/pod/',
  'src/contracts/',
  'src/platform/config/',
  'src/platform/http/',
  'src/platform/onnx/',
  'src/platform/processes/',
  'src/platform/telemetry/',
  'src/platform/wire/',
];

/** The violations of the architecture rules, each as "file imports target: rule". */
export function violations(sources: SourceFile[]): string[] {
  const production = sources.filter((source) => !isTest(source.path));
  return [
    ...production.flatMap((source) => source.imports.flatMap((it) => report(source, it))),
    ...production.filter(isRoomless).map((source) => `${source.path}: it belongs to no room`),
    ...environmentReaders(production),
    ...folderCircles(production),
    ...foreignUses(production),
    ...foreignInput(production),
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
    broken.push(
      'pod imports only contracts and, of the platform, config, http, onnx, processes, telemetry and wire',
    );
  }
  return broken;
}

function environmentReaders(sources: SourceFile[]): string[] {
  const readers = sources.filter((source) => source.readsEnvironment).map((source) => source.path);
  const atHome = readers.filter((path) => path.startsWith('src/platform/config/'));
  const elsewhere = readers.filter((path) => !atHome.includes(path)).concat(atHome.slice(1));
  return elsewhere.map((path) => `${path} reads process.env: only one file of platform/config may`);
}

/** Type imports are erased before files are loaded, so only the other imports can form a cycle at run time. */
function fileCycles(sources: SourceFile[]): string[] {
  const arrows = new Map<string, Set<string>>();
  for (const source of sources) {
    const loaded = source.imports.filter((it) => !it.typeOnly && it.target.startsWith('src/'));
    arrows.set(source.path, new Set(loaded.map((it) => it.target)));
  }
  return cycles(arrows).map((cycle) => `${cycle.join(' → ')}: files don't import each other in a circle`);
}

/** One cycle per place where a walk along the imports returns to a place it has visited. */
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

function floor(name: string): number {
  return floors.findIndex((rooms) => rooms.includes(name));
}

function isRoomless(source: SourceFile): boolean {
  return floor(topRoom(source.path)) < 0;
}

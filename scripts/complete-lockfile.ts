// A registry mirror may have the binaries of some platforms only. npm then omits the others from the lockfile, and
// `npm ci` rejects it on every platform. This script adds the missing entries. It also marks the packages that
// bootstrap installs on demand, so that npm skips them.
// `node scripts/complete-lockfile.ts` writes the file; with `--check` it only lists problems and exits with 1.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import lists from '../bootstrap/platform-packages.json' with { type: 'json' };

interface LockedPackage {
  version?: string;
  resolved?: string;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

export interface Lockfile {
  packages: Record<string, LockedPackage>;
}

/** Fixes the lockfile; returns the paths of the changed entries. */
export function completeLockfile(lockfile: Lockfile): string[] {
  return [...addMissing(lockfile), ...restrictPlatforms(lockfile), ...forgetAddresses(lockfile)];
}

/** Removes URLs, which would send everyone to the registry or mirror of the lockfile's author. */
function forgetAddresses(lockfile: Lockfile): string[] {
  const addressed = Object.entries(lockfile.packages).filter(([, locked]) =>
    /^https?:/.test(locked.resolved ?? ''),
  );
  for (const [, locked] of addressed) delete locked.resolved;
  return addressed.map(([place]) => place);
}

/** A processor that no machine has, so that npm skips the package; bootstrap/platform-packages.mjs installs it. */
const onDemand = 'on-demand';

function restrictPlatforms(lockfile: Lockfile): string[] {
  const wanted = [
    ...lists.onDemand.map((it) => ({ name: it.package, cpu: onDemand })),
    ...lists.narrowed.map((it) => ({ name: it.package, cpu: it.cpu })),
  ];
  return wanted.flatMap(({ name, cpu }) => {
    const locked = lockfile.packages[`node_modules/${name}`];
    if (!locked || locked.cpu?.join() === cpu) return [];
    locked.cpu = [cpu];
    return [`node_modules/${name}`];
  });
}

/** Adds an entry for each optional dependency that has none. */
function addMissing(lockfile: Lockfile): string[] {
  const added: string[] = [];
  for (const [path, locked] of Object.entries(lockfile.packages)) {
    for (const [name, range] of Object.entries(locked.optionalDependencies ?? {})) {
      if (isHeld(lockfile, path, name)) continue;
      const top = `node_modules/${name}`;
      const version = lowestVersion(range);
      const place = path === '' || lockfile.packages[top] === undefined ? top : `${path}/${top}`;
      lockfile.packages[place] = {
        version,
        ...platformOf(name),
        ...(locked.dev ? { dev: true } : {}),
        optional: true,
      };
      added.push(place);
    }
  }
  lockfile.packages = Object.fromEntries(
    Object.entries(lockfile.packages).sort(([a], [b]) => a.localeCompare(b, 'en')),
  );
  return added;
}

/** Follows Node's resolution: the nearest node_modules up the tree. */
function isHeld(lockfile: Lockfile, from: string, name: string): boolean {
  const folders = from
    .split('/node_modules/')
    .map((_, index, all) => all.slice(0, index + 1).join('/node_modules/'));
  return ['', ...folders].some(
    (folder) => lockfile.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`] !== undefined,
  );
}

function lowestVersion(range: string): string {
  const version = /\d+\.\d+\.\d+[\w.+-]*/.exec(range)?.[0];
  if (!version) throw new Error(`can't read a version from the range '${range}'`);
  return version;
}

const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'aix',
  'win32',
];
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'x64',
  'wasm32',
];
const systemNames: Record<string, string> = {
  mac: 'darwin',
  macos: 'darwin',
  windows: 'win32',
  win: 'win32',
};
const libraries: Record<string, string> = {
  musl: 'musl',
  musleabihf: 'musl',
  gnu: 'glibc',
  gnueabihf: 'glibc',
};

/** Derives the platform from the package name. */
function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> {
  if (name === 'fsevents') return { os: ['darwin'] };
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  const os = words.map((word) => systemNames[word] ?? word).find((word) => systems.includes(word));
  const cpu = words.find((word) => processors.includes(word));
  const library = words.map((word) => libraries[word]).find((word) => word !== undefined);
  if (!os && !cpu) throw new Error(`the name '${name}' does not contain a platform`);
  return {
    ...(cpu ? { cpu: [cpu] } : {}),
    ...(library && os === 'linux' ? { libc: [library] } : {}),
    ...(os ? { os: [os] } : {}),
  };
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '..', 'package-lock.json');
  const lockfile = JSON.parse(readFileSync(file, 'utf8'));
  const added = completeLockfile(lockfile);
  if (process.argv.includes('--check')) {
    for (const place of added)
      console.error(
        `package-lock.json has no correct entry for ${place}: run node scripts/complete-lockfile.ts`,
      );
    process.exitCode = added.length === 0 ? 0 : 1;
  } else {
    if (added.length > 0) writeFileSync(file, `${JSON.stringify(lockfile, null, 2)}\n`);
    console.log(`${added.length} entries changed`);
  }
}

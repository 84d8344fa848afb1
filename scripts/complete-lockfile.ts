// A registry mirror may carry the binaries of some platforms only, and npm then leaves the others out of the
// lockfile; `npm ci` refuses such a file everywhere. This names them, so that it installs on each platform. It also
// marks the packages that bootstrap fetches only where they can be used, so that npm itself passes them over.
// `node scripts/complete-lockfile.ts` writes; with `--check` it only says what is missing and exits with 1.
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

/** Brings the lockfile in order; returns the paths of the entries that were not. */
export function completeLockfile(lockfile: Lockfile): string[] {
  return [...addMissing(lockfile), ...restrictPlatforms(lockfile), ...forgetAddresses(lockfile)];
}

/** An address would send everyone to the registry or mirror of whoever wrote the lockfile. */
function forgetAddresses(lockfile: Lockfile): string[] {
  const addressed = Object.entries(lockfile.packages).filter(([, locked]) =>
    /^https?:/.test(locked.resolved ?? ''),
  );
  for (const [, locked] of addressed) delete locked.resolved;
  return addressed.map(([place]) => place);
}

/** No machine has this processor: bootstrap/platform-packages.mjs looks at what the machine really has. */
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

/** An entry for each optional dependency that the lockfile names but does not hold. */
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

/** Node's own rule: the nearest node_modules on the way up. */
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
  if (!version) throw new Error(`no version can be read from the range '${range}'`);
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

/** Platform packages say in their names what they are for. */
function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> {
  if (name === 'fsevents') return { os: ['darwin'] };
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  const os = words.map((word) => systemNames[word] ?? word).find((word) => systems.includes(word));
  const cpu = words.find((word) => processors.includes(word));
  const library = words.map((word) => libraries[word]).find((word) => word !== undefined);
  if (!os && !cpu) throw new Error(`'${name}' does not say which platform it is for`);
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
        `package-lock.json has no right entry for ${place}: run node scripts/complete-lockfile.ts`,
      );
    process.exitCode = added.length === 0 ? 0 : 1;
  } else {
    if (added.length > 0) writeFileSync(file, `${JSON.stringify(lockfile, null, 2)}\n`);
    console.log(`${added.length} entries changed`);
  }
}

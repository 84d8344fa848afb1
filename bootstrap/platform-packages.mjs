// Handles what npm's `os` and `cpu` fields can't express: GPU binaries are downloaded only if there is a GPU, and
// files for other platforms are removed. The lists are in platform-packages.json. `scripts/complete-lockfile.ts`
// marks the on-demand packages in the lockfile, so that npm skips them.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runNpm } from './command.mjs';
import { root } from './paths.mjs';
import { step } from './steps.mjs';

const modules = join(root, 'node_modules');
const lists = JSON.parse(readFileSync(new URL('./platform-packages.json', import.meta.url), 'utf8'));

/** Removes files for other platforms; returns the removed paths. */
export function pruneForeignFiles(folder = modules, os = process.platform, cpu = process.arch) {
  const fill = (text) => text.replaceAll('{os}', os).replaceAll('{cpu}', cpu);
  return lists.prune.flatMap((entry) => {
    const place = join(folder, fill(entry.folder));
    const keep = new RegExp(fill(entry.keep));
    if (!existsSync(place)) return [];
    const foreign = readdirSync(place).filter((name) => !keep.test(name));
    for (const name of foreign) rmSync(join(place, name), { recursive: true, force: true });
    return foreign.map((name) => join(place, name));
  });
}

/** Installs into a staging folder and renames, so that packages in node_modules are always complete. */
export async function ensureOnDemandPackages(gpu, onStart) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const missing = wantedPackages(gpu).filter((name) => {
    const locked = packages[`node_modules/${name}`];
    return locked && versionOf(join(modules, name)) !== locked.version;
  });
  if (missing.length === 0) return;
  const staging = join(root, '.cache', 'on-demand');
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  const dependencies = Object.fromEntries(
    missing.map((name) => [name, packages[`node_modules/${name}`].version]),
  );
  writeFileSync(
    join(staging, 'package.json'),
    JSON.stringify({ name: 'on-demand', private: true, dependencies }),
  );
  writeFileSync(join(staging, 'package-lock.json'), JSON.stringify(lockfileFor(dependencies, packages)));
  await step('Downloading GPU packages', () =>
    runNpm(['ci'], { cwd: staging, purpose: 'Downloading GPU packages', onStart }),
  );
  for (const name of missing) {
    const place = join(modules, name);
    rmSync(place, { recursive: true, force: true });
    mkdirSync(dirname(place), { recursive: true });
    renameSync(join(staging, 'node_modules', name), place);
  }
  rmSync(staging, { recursive: true, force: true });
}

/** A lockfile with the project's versions and hashes, but without the mark that makes npm skip the packages. */
function lockfileFor(dependencies, packages) {
  const entries = Object.keys(dependencies).map((name) => {
    const { version, integrity } = packages[`node_modules/${name}`];
    return [`node_modules/${name}`, { version, integrity }];
  });
  return {
    name: 'on-demand',
    lockfileVersion: 3,
    packages: { '': { dependencies }, ...Object.fromEntries(entries) },
  };
}

function wantedPackages(gpu) {
  const platform = `${process.platform}-${process.arch}`;
  return lists.onDemand.filter((it) => it.platform === platform && it.needs === gpu).map((it) => it.package);
}

export function findGpu() {
  if (existsSync('/dev/nvidiactl') || existsSync('/proc/driver/nvidia/version')) return 'nvidia';
  const rendering =
    existsSync('/dev/dri') && readdirSync('/dev/dri').some((name) => name.startsWith('renderD'));
  return rendering ? 'other-gpu' : 'none';
}

function versionOf(folder) {
  const file = join(folder, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

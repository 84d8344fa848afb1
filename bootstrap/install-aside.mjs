import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './command.mjs';
import { root } from './paths.mjs';
import { pruneForeignFiles } from './platform-packages.mjs';

/**
 * Installs into a staging folder, with a lockfile that contains the address of every package, and moves the result to
 * `modules`. Our own lockfile has no addresses, for which npm would have to ask once per package; that takes longer
 * than the downloads. Returns false if the registry keeps packages under other addresses.
 */
export async function installAside(args, modules, options) {
  const staging = join(root, '.cache', 'install');
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  try {
    const manifests = ['package.json', '.npmrc'].filter((file) => existsSync(join(root, file)));
    for (const file of manifests) cpSync(join(root, file), join(staging, file));
    const lockfile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const registry = await registryAddress(options);
    if (registry === undefined) return false;
    writeFileSync(join(staging, 'package-lock.json'), JSON.stringify(withAddresses(lockfile, registry)));
    await runNpm(args, { cwd: staging, ...options });
    pruneForeignFiles(join(staging, 'node_modules'));
    renameSync(join(staging, 'node_modules'), modules);
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function registryAddress({ onStart }) {
  const purpose = 'Reading the settings of npm';
  const output = await runNpm(['config', 'get', 'registry'], { cwd: root, purpose, onStart });
  return output
    .split('\n')
    .find((line) => /^https?:\/\//.test(line))
    ?.trim()
    .replace(/\/*$/, '/');
}

/** Adds the address that registries and mirrors have by convention to each package that has none. */
export function withAddresses(lockfile, registry) {
  const packages = Object.entries(lockfile.packages).map(([place, locked]) => {
    if (place === '' || !locked.version || !locked.integrity || locked.resolved || locked.link)
      return [place, locked];
    const name = locked.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const file = `${name.split('/').at(-1)}-${locked.version}.tgz`;
    return [place, { ...locked, resolved: `${registry}${name}/-/${file}` }];
  });
  return { ...lockfile, packages: Object.fromEntries(packages) };
}

/** Whether the registry was reached, but did not send a package. */
function isRefusal(error) {
  return /\b(E[45]\d\d|EINTEGRITY)\b/.test(error.cause?.message ?? '');
}

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './command.mjs';
import { installAside } from './install-aside.mjs';
import { root } from './paths.mjs';
import { ensureOnDemandPackages, findGpu, pruneForeignFiles } from './platform-packages.mjs';

const modules = join(root, 'node_modules');
const stampFile = join(modules, '.roundhouse-installed');

/**
 * The task that installs the packages of package-lock.json, or undefined if they are installed. `development` adds the
 * tools for tests and checks; without it, installed tools are kept but not required.
 */
export function missingDependencies({ development }) {
  const wanted = {
    source: sourceHash(),
    machine: `${process.platform}-${process.arch}`,
    gpu: findGpu(),
    development,
  };
  const stamp = readStamp();
  if (satisfies(stamp, wanted)) return undefined;
  // Keeps what an earlier start installed, because a machine and its containers may share the folder.
  const kept = {
    development: development || stamp.development === true,
    gpu: wanted.gpu === 'none' ? (stamp.gpu ?? 'none') : wanted.gpu,
  };
  return {
    title: kept.development ? 'Installing dependencies and test tools' : 'Installing dependencies',
    run: (onStart) => install(stamp, kept, onStart),
    async finish(onStart) {
      await ensureOnDemandPackages(kept.gpu, onStart);
      writeStamp({ ...wanted, ...kept });
    },
  };
}

async function install(stamp, kept, onStart) {
  // npm assumes that an existing package folder is complete, so an interrupted installation starts over.
  if (stamp.unfinished) rmSync(modules, { recursive: true, force: true });
  const args = ['install', '--no-save', ...(kept.development ? [] : ['--omit=dev'])];
  const options = { purpose: 'Installing the dependencies', onStart };
  if (!existsSync(modules) && (await installAside(args, modules, options))) return;
  writeStamp({ ...kept, unfinished: true });
  // Not `npm ci`: it removes node_modules, so a changed lockfile would download everything again.
  await runNpm(args, { cwd: root, ...options });
  pruneForeignFiles();
}

function satisfies(stamp, { source, machine, gpu, development }) {
  return (
    stamp.source === source &&
    stamp.machine === machine &&
    (gpu === 'none' || stamp.gpu === gpu) &&
    (!development || stamp.development)
  );
}

function sourceHash() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  return hash.update(readFileSync(new URL('./platform-packages.json', import.meta.url))).digest('hex');
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return { development: toolsWereInstalledByHand() };
  }
}

/** A plain `npm install` installs the tools without a stamp; a start must not remove them. */
function toolsWereInstalledByHand() {
  try {
    return readFileSync(join(modules, '.package-lock.json'), 'utf8').includes('"dev": true');
  } catch {
    return false;
  }
}

function writeStamp(stamp) {
  mkdirSync(modules, { recursive: true });
  writeFileSync(`${stampFile}.new`, JSON.stringify(stamp));
  renameSync(`${stampFile}.new`, stampFile);
}

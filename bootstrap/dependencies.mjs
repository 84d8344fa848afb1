import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './command.mjs';
import { root } from './paths.mjs';
import { ensureOnDemandPackages, findGpu, pruneForeignFiles } from './platform-packages.mjs';
import { withSetupLock } from './setup-lock.mjs';
import { step } from './steps.mjs';

const modules = join(root, 'node_modules');
const stampFile = join(modules, '.roundhouse-installed');

/**
 * Installs the packages of package-lock.json, once per version of it. `development` adds the tools for tests and
 * checks; without it, installed tools are kept but not required.
 */
export async function ensureDependencies(node, { development }) {
  const wanted = {
    source: sourceHash(),
    machine: `${process.platform}-${process.arch}`,
    gpu: findGpu(),
    development,
  };
  if (satisfies(readStamp(), wanted)) return;
  await withSetupLock(async (onStart) => {
    const stamp = readStamp();
    if (!satisfies(stamp, wanted)) await install(node, stamp, wanted, onStart);
  });
}

async function install(node, stamp, wanted, onStart) {
  // Keeps what an earlier start installed, because a machine and its containers may share the folder.
  const development = wanted.development || stamp.development === true;
  const gpu = wanted.gpu === 'none' ? (stamp.gpu ?? 'none') : wanted.gpu;
  // npm assumes that an existing package folder is complete, so an interrupted installation starts over.
  if (stamp.unfinished) rmSync(modules, { recursive: true, force: true });
  writeStamp({ development, gpu, unfinished: true });
  const title = development ? 'Installing dependencies and test tools' : 'Installing dependencies';
  // Not `npm ci`: it removes node_modules, so a changed lockfile would download everything again.
  const args = ['install', '--no-save', ...(development ? [] : ['--omit=dev'])];
  await step(title, async () => {
    await runNpm(node, args, { cwd: root, purpose: 'Installing the dependencies', onStart });
    pruneForeignFiles();
  });
  await ensureOnDemandPackages(node, gpu, onStart);
  writeStamp({ ...wanted, development, gpu });
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

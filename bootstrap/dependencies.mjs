import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './command.mjs';
import { root } from './paths.mjs';
import { ensureOnDemandPackages, pruneForeignFiles } from './platform-packages.mjs';
import { withSetupLock } from './setup-lock.mjs';
import { step } from './steps.mjs';

const modules = join(root, 'node_modules');
const stampFile = join(modules, '.roundhouse-installed');
const unfinished = 'unfinished';

/**
 * Installs what package-lock.json names, once for each of its versions. `development` adds the tools that tests
 * and checks need; a running platform does without them, and leaves them in place where they are.
 */
export async function ensureDependencies(node, { development }) {
  if (isInstalled(development)) return;
  await withSetupLock(async (onStart) => {
    if (!isInstalled(development))
      await install(node, development || readStamp().endsWith(' development'), onStart);
  });
}

async function install(node, development, onStart) {
  const wanted = stamp(development);
  // npm takes a package folder that is there for a whole one: after an interruption only a fresh start is sure.
  if (readStamp() === unfinished) rmSync(modules, { recursive: true, force: true });
  writeStamp(unfinished);
  const title = development ? 'Installing dependencies and test tools' : 'Installing dependencies';
  // Not `npm ci`: it removes what is there, and a changed lockfile would cost the whole download again.
  const args = ['install', '--no-save', ...(development ? [] : ['--omit=dev'])];
  await step(title, async () => {
    await runNpm(node, args, { cwd: root, purpose: 'Installing the dependencies', onStart });
    pruneForeignFiles();
  });
  await ensureOnDemandPackages(node, onStart);
  writeStamp(wanted);
}

function isInstalled(development) {
  const installed = readStamp();
  return installed === stamp(true) || (!development && installed === stamp(false));
}

function stamp(development) {
  const lock = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  lock.update(readFileSync(new URL('./platform-packages.json', import.meta.url)));
  const machine = `${process.platform}-${process.arch}`;
  return `${lock.digest('hex')} ${machine} ${development ? 'development' : 'production'}`;
}

function readStamp() {
  try {
    return readFileSync(stampFile, 'utf8');
  } catch {
    return '';
  }
}

function writeStamp(text) {
  mkdirSync(modules, { recursive: true });
  writeFileSync(`${stampFile}.new`, text);
  renameSync(`${stampFile}.new`, stampFile);
}

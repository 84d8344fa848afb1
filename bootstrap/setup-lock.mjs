import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { root } from './paths.mjs';
import { step } from './steps.mjs';

const file = join(root, '.cache', 'setup.lock');
const heartbeat = 2_000;
const staleAfter = 30_000;

/**
 * Runs the work while no other process sets up this folder. The work registers its child processes with the function
 * it receives, so that other processes wait for those too if this one is killed.
 */
export async function withSetupLock(work) {
  const processes = [process.pid];
  mkdirSync(dirname(file), { recursive: true });
  if (!acquire(processes)) {
    await step('Waiting for another process to finish the setup of this folder', async () => {
      while (!acquire(processes)) await setTimeout(200);
    });
  }
  const timer = setInterval(touch, heartbeat);
  try {
    return await work((pid) => {
      processes.push(pid);
      writeFileSync(file, content(processes));
    });
  } finally {
    clearInterval(timer);
    rmSync(file, { force: true });
  }
}

function content(processes) {
  return JSON.stringify({ host: hostname(), processes });
}

function acquire(processes) {
  const mine = `${file}.${process.pid}`;
  removeAbandoned(mine);
  // Linked instead of written in place, so that the lock never exists without its content.
  writeFileSync(mine, content(processes));
  try {
    linkSync(mine, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(mine, { force: true });
  }
}

function removeAbandoned(mine) {
  const held = readLock(file);
  if (held === undefined || !isAbandoned(held)) return;
  try {
    renameSync(file, mine);
    // Another process may have replaced the lock between the read and the rename; then it is put back.
    if (readLock(mine) !== held) linkSync(mine, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
}

function readLock(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Checks the processes if the lock is from this machine; for another machine there is only the heartbeat. */
function isAbandoned(held) {
  const owner = parse(held);
  if (owner?.host === hostname()) return !owner.processes.some(isAlive);
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > staleAfter;
}

function parse(held) {
  try {
    return JSON.parse(held);
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function touch() {
  try {
    utimesSync(file, new Date(), new Date());
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

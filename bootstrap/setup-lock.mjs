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
const silenceOfTheDead = 30_000;

/**
 * Runs the work while no other process sets up this folder. The work is given a function to name the processes that
 * write for it: should we be killed, the others wait for those too.
 */
export async function withSetupLock(work) {
  const processes = [process.pid];
  mkdirSync(dirname(file), { recursive: true });
  if (!acquire(processes)) {
    await step('Waiting for another process that sets up this folder', async () => {
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
  // Linked, not written in place: the lock never exists without its content.
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
    // Between the look and the rename another may have cleared it and taken it anew: that one gets it back.
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

/** On this machine the processes can be asked for; a folder shared with another one has only the heartbeat. */
function isAbandoned(held) {
  const owner = parse(held);
  if (owner?.host === hostname()) return !owner.processes.some(isAlive);
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > silenceOfTheDead;
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

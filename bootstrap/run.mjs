// `node bootstrap/run.mjs [--dev] <script or tool> [arguments]`: installs Node and the dependencies if they are
// missing, then runs the command with them.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { root } from './paths.mjs';
import { setUp } from './set-up.mjs';
import { SetupError } from './steps.mjs';

export async function run(args, { development = false } = {}) {
  const node = await prepare(development);
  // Replaces this process with the command, to save memory, if this version of Node supports it.
  if (process.execve && process.platform !== 'win32') process.execve(node, [node, ...args], process.env);
  const child = spawn(node, args, { stdio: 'inherit' });
  // On a terminal, Ctrl-C also reaches the child directly; forwarding it would count as a second one ("exit now").
  const forwarded = process.stdin.isTTY ? ['SIGTERM', 'SIGHUP'] : ['SIGTERM', 'SIGHUP', 'SIGINT'];
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  if (process.stdin.isTTY) process.on('SIGINT', () => {});
  child.on('error', (error) => {
    process.stderr.write(`${node} could not be started: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('close', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 1);
  });
}

async function prepare(development) {
  try {
    const node = await setUp({ development });
    process.env.PATH = [dirname(node), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
    return node;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

if (process.argv[1]?.endsWith('run.mjs')) {
  const args = process.argv.slice(2);
  const development = args[0] === '--dev';
  await run(development ? args.slice(1) : args, { development });
}

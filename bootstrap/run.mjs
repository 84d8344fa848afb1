// `node bootstrap/run.mjs [--dev] <script or tool> [arguments]`: brings Node 24 and the dependencies where they are
// missing, then runs the command with them.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ensureDependencies } from './dependencies.mjs';
import { ensureNode } from './node.mjs';
import { root } from './paths.mjs';
import { SetupError } from './steps.mjs';

export async function run(args, { development = false } = {}) {
  const node = await prepare(development);
  const child = spawn(node, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('close', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 1);
  });
}

async function prepare(development) {
  try {
    const node = await ensureNode();
    process.env.PATH = [dirname(node), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
    await ensureDependencies(node, { development });
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

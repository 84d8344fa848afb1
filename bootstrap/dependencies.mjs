import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand, runQuietly } from './command.mjs';
import { root } from './paths.mjs';
import { SetupError, step } from './steps.mjs';

const stampFile = join(root, 'node_modules', '.roundhouse-installed');

/**
 * Installs what package-lock.json names, once for each of its versions. `development` adds the tools that tests
 * and checks need; a running platform does without them, and a later run without them leaves them in place.
 */
export async function ensureDependencies(node, { development }) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
  const full = `${lock} ${process.platform}-${process.arch} development`;
  const lean = `${lock} ${process.platform}-${process.arch} production`;
  if (stamp === full || (!development && stamp === lean)) return;

  const { command, prefix } = npmCommand(node);
  // Not `npm ci`: it refuses a lock file that lacks another platform's optional packages, which a mirror may not carry.
  const args = [
    'install',
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    ...(development ? [] : ['--omit=dev']),
  ];
  await step(`Installing ${development ? 'dependencies and test tools' : 'dependencies'}`, async () => {
    try {
      await runQuietly(command, [...prefix, ...args], { cwd: root, env: process.env });
    } catch (error) {
      throw new SetupError(`The dependencies could not be installed:\n${error.message}`);
    }
  });
  writeFileSync(stampFile, development ? full : lean);
}

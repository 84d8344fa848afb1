import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltTestApp, buildTestApp } from '../../../test/testkit/app.ts';
import { isAlive } from '../../../test/testkit/machine/is-alive.ts';
import { commitOf, type HubServer, startHub } from '../../../test/testkit/models/hub-server.ts';
import { safetensorsOf } from '../../../test/testkit/models/safetensors.ts';
import { writeTinyModel } from '../../../test/testkit/models/tiny-model.ts';
import { python3 } from '../../../test/testkit/training/finetuning.ts';
import { until } from '../../../test/testkit/until.ts';
import type { PodEngine } from '../../contracts/dispatcher/pod-plan.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import { libraryModels } from '../../management/deployments/planning/library-models.ts';
import { Trainer } from '../../management/finetuning/trainer/trainer.ts';
import { managementService } from '../../management/management-service.ts';
import { createWorkRunner, type WorkRunner } from '../../platform/queue/running/work-runner.ts';
import { silentLogger } from '../../platform/telemetry/logger.ts';
import { type Models, openModels } from '../open-models.ts';

/** Stands in for llama.cpp's converter: does what the file `behaviour` says, and shows its progress as tqdm does. */
const script = (control: string) => `
import os, pathlib, shutil, signal, subprocess, sys, time
from gguf import name
control = pathlib.Path(${JSON.stringify(control)})
out = pathlib.Path(sys.argv[sys.argv.index("--outfile") + 1])
behaviour = (control / "behaviour").read_text()
(control / "environment").write_text("\\n".join(f"{k}={v}" for k, v in os.environ.items()))
(control / "files").write_text(" ".join(sorted(os.listdir(sys.argv[1]))))
out.write_bytes(b"half")
sys.stderr.write("INFO:hf-to-gguf:Loading model\\nWriting:   0%|   | 0.00/9\\rWriting:  40%|###  | 4/9")
sys.stderr.flush()
if behaviour == "refuse":
    sys.stderr.write("\\nERROR:hf-to-gguf:Model LlamaForCausalLM is not supported\\n")
    sys.exit(1)
if behaviour == "die":
    os.kill(os.getpid(), signal.SIGKILL)
if behaviour == "hang":
    child = subprocess.Popen(["sleep", "600"])
    (control / "pids").write_text(f"{os.getpid()} {child.pid}")
    time.sleep(600)
while not (control / "go").exists():
    time.sleep(0.02)
shutil.copy(control / "tiny.gguf", out)
`;

const python = await python3();
let hub: HubServer;
let index: Server;
let folder: string;
let test: BuiltTestApp;
let runner: WorkRunner;
let models: Models;
let sha256: string;

const repository = {
  pipelineTag: 'text-generation',
  files: {
    'config.json': JSON.stringify({ architectures: ['LlamaForCausalLM'], model_type: 'llama' }),
    'tokenizer_config.json': '{"chat_template":"{{ messages }}"}',
    'model.safetensors': safetensorsOf({ 'lm_head.weight': { dtype: 'BF16', shape: [100, 64] } }),
  },
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'conversion-'));
  mkdirSync(join(folder, 'control'));
  writeTinyModel(join(folder, 'control', 'tiny.gguf'));
  hub = await startHub();
  hub.repositories.set('org/llama', repository);
  const archive = makePackage();
  sha256 = createHash('sha256').update(archive).digest('hex');
  index = createServer((request, response) => {
    if (request.url === '/simple/some-llama/') {
      response.end(
        '<a href="/files/some_llama-1.0-py3-none-any.whl"></a><a href="/files/some_llama-1.0.tar.gz#sha256=0">',
      );
    } else response.end(archive);
  });
  await new Promise<void>((resolve) => index.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await runner.stop();
  await test.close();
  await hub.stop();
  index.close();
  rmSync(folder, { recursive: true, force: true });
});

function makePackage(): Buffer {
  const source = join(folder, 'package');
  const inside = join(source, 'some_llama-1.0', 'vendor', 'llama.cpp');
  mkdirSync(join(inside, 'gguf-py', 'gguf'), { recursive: true });
  mkdirSync(join(inside, 'conversion'));
  mkdirSync(join(inside, 'ggml'));
  writeFileSync(join(inside, 'ggml', 'ggml.c'), 'int main;');
  writeFileSync(join(inside, 'conversion', 'llama.py'), '');
  writeFileSync(join(inside, 'gguf-py', 'gguf', '__init__.py'), 'name = "gguf"\n');
  const local = 'import os, sys\nsys.path.insert(1, os.path.join(os.path.dirname(__file__), "gguf-py"))\n';
  writeFileSync(join(inside, 'convert_hf_to_gguf.py'), local + script(join(folder, 'control')));
  execFileSync('tar', ['czf', join(folder, 'package.tar.gz'), '-C', source, 'some_llama-1.0']);
  return readFileSync(join(folder, 'package.tar.gz'));
}

async function open(engines: PodEngine[] = ['llamacpp', 'onnx'], hash = sha256): Promise<void> {
  const pypi = `http://127.0.0.1:${(index.address() as AddressInfo).port}/simple`;
  test = await buildTestApp(async (deps) => {
    models = await openModels({
      ...deps,
      config: {
        data_dir: join(folder, 'data'),
        hub: { endpoint: hub.endpoint, home: join(folder, 'hf') },
        packages: { pypi_index: pypi, maven_repository: pypi },
      },
      environment: {},
      engines,
      isDeployed: () => false,
      deployedPaths: async () => [],
      converter: {
        tools: new Trainer({
          folder: join(import.meta.dirname, '../../../test/testkit/training/fake-trainer'),
          environments: join(folder, 'python'),
          cache: join(folder, 'cache'),
          nice: 0,
          environment: { PATH: process.env.PATH, HF_TOKEN: 'hf_secret', ROUNDHOUSE_ADMIN_TOKEN: 'secret' },
        }),
        package: { project: 'some-llama', version: '1.0', sha256: hash },
      },
    });
    const kinds = models.work;
    runner = createWorkRunner({ ...deps, logger: silentLogger(), kinds, pollEvery: 50 });
    return [managementService({ ...deps, models: models.changes })];
  });
  runner.start();
}

const behave = (how: string) => writeFileSync(join(folder, 'control', 'behaviour'), how);
const go = () => writeFileSync(join(folder, 'control', 'go'), '');
const call = async (method: 'GET' | 'POST' | 'DELETE', url: string) =>
  (await test.app.inject({ method, url: `/api/v1/${url}` })).json();
const add = async () => (await call('POST', 'models/add/?model_id=org/llama')) as Job;
const job = async ({ id }: Job) => (await call('GET', `jobs/${id}/status/`)) as Job;
const ended = (started: Job) =>
  until('the job to end', async () => {
    const now = await job(started);
    return ['FINISHED', 'FAILED', 'KILLED'].includes(now.status) ? now : undefined;
  });
const facts = async () => (await call('GET', 'models/'))[0].facts;
const snapshot = () => join(folder, 'hf', 'hub', 'models--org--llama', 'snapshots', commitOf(repository));
const halfWritten = () => readdirSync(snapshot()).filter((name) => name.includes('partial'));

describe.skipIf(!python.available)('a safetensors model where only llama.cpp serves', () => {
  it('is converted as a step of its download, beside the original, and goes with it', async () => {
    await open();
    behave('convert');
    const started = await add();
    const progress = await until('its progress', async () => {
      const now = (await job(started)).progress;
      return now?.unit === 'percent' && now.done === 40 ? now : undefined;
    });
    expect(progress).toMatchObject({ total: 100, message: 'converting to GGUF (F16)' });
    go();
    expect(await ended(started)).toMatchObject({ status: 'FINISHED', error: null });
    expect(await facts()).toMatchObject({
      architecture: 'LlamaForCausalLM',
      quantization: 'BF16',
      engines: ['llamacpp'],
      reason: null,
      conversion: { file: 'model-F16.gguf', quantization: 'F32', error: null },
    });
    const made = join(snapshot(), 'model-F16.gguf');
    expect(readFileSync(made)).toEqual(readFileSync(join(folder, 'control', 'tiny.gguf')));
    expect(existsSync(join(snapshot(), 'model.safetensors'))).toBe(true);
    const deployable = libraryModels(models);
    expect(await deployable.pathFor('org/llama', null)).toBe(made);
    expect(await deployable.find('org/llama')).toMatchObject({ engines: ['llamacpp'], quantization: 'F32' });
    // The converter saw no secret, can't reach the hub, and is here without the rest of its package.
    const environment = readFileSync(join(folder, 'control', 'environment'), 'utf8');
    expect(environment).toContain('HF_HUB_OFFLINE=1');
    expect(environment).not.toContain('secret');
    expect(readdirSync(join(folder, 'python'))).toEqual(['bytecode', 'some-llama-1.0-converter']);
    expect(readdirSync(join(folder, 'python', 'some-llama-1.0-converter')).sort()).toEqual(
      expect.not.arrayContaining(['ggml']),
    );
    await call('DELETE', 'models/org/llama');
    expect(existsSync(join(folder, 'hf', 'hub', 'models--org--llama'))).toBe(false);
  });

  it.each([
    ['refuse', "llama.cpp's converter failed: Model LlamaForCausalLM is not supported"],
    ['die', 'the converter was killed by SIGKILL, probably because the machine ran out of memory'],
  ])(
    'stays listed with the reason where it can not be (%s); added again, it is tried again',
    async (how, why) => {
      await open();
      behave(how);
      mkdirSync(snapshot(), { recursive: true });
      writeFileSync(join(snapshot(), 'tokenization_llama.py'), 'raise SystemExit');
      expect(await ended(await add())).toMatchObject({ status: 'FINISHED' });
      expect(await facts()).toMatchObject({
        engines: [],
        reason: expect.stringMatching(/^safetensors for llm needs vllm; .* it could not be converted: /),
        conversion: { file: null, error: why },
      });
      expect(halfWritten()).toEqual([]);
      // Code that another tool left in the hub's cache is out of the converter's reach.
      const seen = readFileSync(join(folder, 'control', 'files'), 'utf8');
      expect(seen).toBe('config.json model.safetensors tokenizer_config.json');
      behave('convert');
      go();
      await ended(await add());
      expect(await facts()).toMatchObject({ engines: ['llamacpp'], conversion: { error: null } });
    },
  );

  it('interrupted, the converter and what it started end, and nothing half is left', async () => {
    await open();
    behave('hang');
    const started = await add();
    const pids = await until('it to run', () => {
      const file = join(folder, 'control', 'pids');
      return existsSync(file) ? readFileSync(file, 'utf8').split(' ').map(Number) : undefined;
    });
    expect(pids).toHaveLength(2);
    await call('POST', `jobs/${started.id}/interrupt/`);
    expect(await ended(started)).toMatchObject({ status: 'KILLED' });
    await until('both to be gone', () => !pids.some(isAlive));
    await until('no half file', () => halfWritten().length === 0);
    expect(await call('GET', 'models/')).toEqual([]);
  });

  it('a package with another hash is not run', async () => {
    await open(['llamacpp'], '0'.repeat(64));
    behave('convert');
    await ended(await add());
    expect((await facts()).conversion.error).toMatch(
      /^some_llama-1\.0\.tar\.gz has the hash \w{64} instead of 0{64}/,
    );
    expect(existsSync(join(folder, 'control', 'environment'))).toBe(false);
    expect(readdirSync(join(folder, 'python'))).toEqual([]);
  });

  it('is left alone where an engine reads it as it is', async () => {
    await open(['llamacpp', 'vllm']);
    await ended(await add());
    expect(await facts()).toMatchObject({ engines: ['vllm'], reason: null });
    expect((await facts()).conversion).toBeUndefined();
  });
});

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { zipOf } from './testkit/machine/zip.ts';
import { trainerEnvironment, trainerFolder } from './testkit/training/trainer-environment.ts';

const run = promisify(execFile);
const { available } = await trainerEnvironment();

/** A package that has torch's name and nothing in it. */
const torch = (text: string) =>
  zipOf({
    'torch/__init__.py': Buffer.from(text),
    'torch-1.0+cpu.dist-info/METADATA': Buffer.from('Metadata-Version: 2.1\nName: torch\nVersion: 1.0+cpu\n'),
    'torch-1.0+cpu.dist-info/WHEEL': Buffer.from(
      'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    ),
    'torch-1.0+cpu.dist-info/RECORD': Buffer.from(''),
  });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const wheel = 'torch-1.0%2Bcpu-py3-none-any.whl';

describe.skipIf(!available)("the trainer's packages", () => {
  let folder: string;
  let server: Server;
  let served: Buffer;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trainer-packages-'));
    for (const name of ['environment.py', 'lock_torch_cpu.py', 'uv.txt', 'torch-cpu.txt'])
      copyFileSync(join(trainerFolder, name), join(folder, name));
    writeFileSync(join(folder, 'requirements.txt'), `torch==1.0 \\\n    --hash=sha256:${'0'.repeat(64)}\n`);
    writeFileSync(join(folder, 'requirements-dev.txt'), `torch==1.0\n`);
    served = torch('good = True');
    server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      if (request.url === '/cpu/torch/')
        response.end(`<a href="../${wheel}#sha256=${sha256(served)}">torch</a>`);
      else if (request.url === `/cpu/${wheel}`) response.end(served);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const index = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/cpu`;
  const python = async (script: string, ...args: string[]) => {
    const options = {
      timeout: 300_000,
      env: { ...process.env, UV_CACHE_DIR: join(folder, 'uv'), PYTHONDONTWRITEBYTECODE: '1' },
    };
    const found = await run(
      'python3',
      [join(folder, script), '--torch-index', index(), ...args],
      options,
    ).catch((error: { stdout: string; stderr: string }) => error);
    return found.stdout.trim().split('\n').at(-1) ?? '';
  };
  const install = () => python('environment.py', '--root', join(folder, 'root'));

  it('the CPU build of torch is installed only with a hash that is pinned', {
    timeout: 600_000,
  }, async () => {
    expect(await python('lock_torch_cpu.py')).toBe('torch 1.0+cpu: 1 wheels');
    const made = JSON.parse(await install());
    expect(made.message).toBeUndefined();
    expect(made).toMatchObject({ event: 'environment', variant: 'cpu', made: true });
    rmSync(join(folder, 'root'), { recursive: true });
    rmSync(join(folder, 'uv'), { recursive: true });
    served = torch('good = False');
    const refused = JSON.parse(await install());
    expect(refused).toMatchObject({ event: 'error', code: 'packages_unavailable' });
    expect(refused.message).toMatch(/hash/i);
  });

  it('without one, the pinned packages of the ordinary index are', { timeout: 600_000 }, async () => {
    const message = JSON.parse(await install());
    expect(message).toMatchObject({ event: 'error', code: 'packages_unavailable' });
  });
});

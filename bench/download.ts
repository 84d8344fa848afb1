import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash, randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeDurable } from '../src/models/files/make-durable.ts';
import { fetchModel } from '../src/models/hub/fetch-model.ts';
import { HubCache } from '../src/models/hub/hub-cache.ts';
import { createHubClient } from '../src/models/hub/hub-client.ts';
import { parseModelId } from '../src/models/hub/model-reference.ts';
import { HubServer } from '../test/testkit/models/hub-server.ts';
import { until } from '../test/testkit/until.ts';

/**
 * `node bench/download.ts [megabytes]`: downloads a model from a hub on this machine and compares it with curl;
 * measures memory, and the bytes downloaded again after kill -9. Hub and client are separate processes. nginx serves
 * the bytes if it is installed, to leave the CPU to what is measured.
 */
const size = Number(process.argv[2] ?? 2048) * 2 ** 20;
const [role, ...rest] = process.argv.slice(3);
let hubProcess: ChildProcess | undefined;
let said = '';

if (role === 'hub') await serve(rest as [string, string, string]);
else if (role === 'client') await download(rest as [string, string]);
else await measure();

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-download-'));
  const children: ChildProcess[] = [];
  try {
    const { file, sha256 } = writeWeights(folder);
    const nginx = await startNginx(folder);
    if (nginx) children.push(nginx.child);
    const hub = start(['hub', file, sha256, nginx?.address ?? '']);
    children.push(hub.child);
    const endpoint = await until('the hub', () => /http:\S+/.exec(hub.output())?.[0]);
    const url = `${endpoint}/org/model/resolve/main/model.safetensors`;

    const curl: number[] = [];
    const checked: number[] = [];
    const synced: number[] = [];
    const ours: number[] = [];
    const oursSynced: number[] = [];
    let memory = 0;
    for (let round = 0; round < 3; round++) {
      const target = join(folder, 'curl');
      curl.push(timed(() => execFileSync('curl', ['-sSL', '-o', target, url])));
      checked.push((curl.at(-1) ?? 0) + timed(() => execFileSync('openssl', ['dgst', '-sha256', target])));
      synced.push((curl.at(-1) ?? 0) + timed(() => syncFile(target)));
      rmSync(target);
      const result = await runClient(endpoint, join(folder, `cache-${round}`));
      ours.push(result.seconds);
      oursSynced.push(result.synced);
      memory = Math.max(memory, result.memory);
      rmSync(join(folder, `cache-${round}`), { recursive: true });
    }
    const again = await killAndResume(endpoint, join(folder, 'resumed'), hub.output);
    const rate = (seconds: number) => `${(size / 1e6 / seconds).toFixed(0)} MB/s`;
    print(`served by                 ${nginx ? 'nginx' : 'the hub itself'}`);
    print(`curl                      ${rate(best(curl))}  (including sync to disk ${rate(best(synced))})`);
    print(`curl, then openssl hash   ${rate(best(checked))}`);
    print(
      `roundhouse, hash checked  ${rate(best(ours))}  (including sync to disk ${rate(best(oursSynced))})`,
    );
    print(`ratio to curl             ${(best(curl) / best(ours)).toFixed(2)}  (goal: at least 0.80)`);
    print(`memory                    ${memory} MB  (goal: under 200)`);
    print(`repeated after kill       ${(again / 2 ** 20).toFixed(1)} MB  (goal: under 16)`);
  } finally {
    await Promise.all(children.map((child) => child.kill() && once(child, 'exit')));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Random bytes, synced to disk before anything is measured. */
function writeWeights(folder: string): { file: string; sha256: string } {
  const file = join(folder, 'org', 'model', 'model.safetensors');
  mkdirSync(dirname(file), { recursive: true });
  const hash = createHash('sha256');
  const out = openSync(file, 'w');
  const block = randomFillSync(Buffer.alloc(2 ** 20));
  for (let at = 0; at < size; at += block.length) {
    block.writeUInt32LE(at / block.length);
    hash.update(block);
    writeSync(out, block);
  }
  fsyncSync(out);
  closeSync(out);
  return { file, sha256: hash.digest('hex') };
}

async function serve([file, sha256, storage]: [string, string, string]): Promise<void> {
  const hub = new HubServer();
  hub.storage = storage || undefined;
  hub.repositories.set('org/model', {
    files: { 'model.safetensors': { file, size: statSync(file).size, sha256 } },
  });
  await hub.start();
  print(hub.endpoint);
  process.on('SIGUSR2', () => {
    // The hub's own storage counts the bytes that it sends.
    hub.storage = undefined;
    print(`sent ${hub.sent}`);
  });
}

async function startNginx(root: string): Promise<{ child: ChildProcess; address: string } | undefined> {
  const port = await freePort();
  const config = join(root, 'nginx.conf');
  writeFileSync(
    config,
    `worker_processes 1; daemon off; pid ${root}/nginx.pid; error_log /dev/null; user root;
    events {}
    http {
      access_log off; sendfile on; tcp_nopush on;
      client_body_temp_path ${root}/body; proxy_temp_path ${root}/proxy; fastcgi_temp_path ${root}/fastcgi;
      uwsgi_temp_path ${root}/uwsgi; scgi_temp_path ${root}/scgi;
      server { listen 127.0.0.1:${port}; root ${root}; }
    }`,
  );
  const child = spawn('nginx', ['-c', config, '-p', root], { stdio: 'ignore' });
  const started = await Promise.race([once(child, 'spawn'), once(child, 'error')]).catch(() => undefined);
  if (!started || child.pid === undefined) return undefined;
  const address = `http://127.0.0.1:${port}`;
  await until('nginx', () =>
    fetch(address).then(
      () => true,
      () => undefined,
    ),
  );
  return { child, address };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function download([endpoint, cache]: [string, string]): Promise<void> {
  const started = performance.now();
  const model = await fetchModel(
    { hub: createHubClient({ endpoint }), cache: new HubCache(cache), engines: ['vllm'] },
    parseModelId('org/model'),
    { signal: new AbortController().signal, onProgress: (done) => done > size / 2 && say('half') },
  );
  const seconds = (performance.now() - started) / 1000;
  await makeDurable(model.files.map((file) => join(model.folder, file.path)));
  const synced = (performance.now() - started) / 1000;
  print(JSON.stringify({ seconds, synced, memory: Math.round(process.resourceUsage().maxRSS / 1024) }));
}

async function runClient(
  endpoint: string,
  cache: string,
): Promise<{ seconds: number; synced: number; memory: number }> {
  const client = start(['client', endpoint, cache]);
  await once(client.child, 'exit');
  return JSON.parse(client.output().trim().split('\n').at(-1) ?? '');
}

async function killAndResume(endpoint: string, cache: string, hubOutput: () => string): Promise<number> {
  const before = await sentBy(hubOutput);
  const client = start(['client', endpoint, cache]);
  await until('half of it', () => client.output().includes('half'));
  client.child.kill('SIGKILL');
  await once(client.child, 'exit');
  await runClient(endpoint, cache);
  return (await sentBy(hubOutput)) - before - size;
}

async function sentBy(output: () => string): Promise<number> {
  const seen = output().length;
  hubProcess?.kill('SIGUSR2');
  return Number(await until('the hub’s count', () => /sent (\d+)/.exec(output().slice(seen))?.[1]));
}

function start(args: string[]): { child: ChildProcess; output(): string } {
  const child = spawn(process.execPath, [import.meta.filename, String(size / 2 ** 20), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (args[0] === 'hub') hubProcess = child;
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  return { child, output: () => output };
}

function syncFile(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

function timed(work: () => unknown): number {
  const started = performance.now();
  work();
  return (performance.now() - started) / 1000;
}

function best(seconds: number[]): number {
  return Math.min(...seconds);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
function say(word: string): void {
  if (said !== word) print(word);
  said = word;
}

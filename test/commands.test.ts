import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiKeyCreated } from '../src/contracts/api-keys.ts';
import type { Job } from '../src/contracts/management/jobs.ts';
import type { PlatformStatus } from '../src/contracts/management/status.ts';
import { type HubServer, startHub } from './testkit/models/hub-server.ts';
import { safetensorsOf } from './testkit/models/safetensors.ts';
import { writeTinyModel } from './testkit/models/tiny-model.ts';
import { type RunningPlatform, startPlatform } from './testkit/platform.ts';
import { requirement } from './testkit/requirement.ts';
import { until } from './testkit/until.ts';

/** The commands of an operator, from a folder that is not the platform's. */
const main = join(import.meta.dirname, '../src/cli/main.ts');
/** Runs a command at a pseudo-terminal. */
const terminal = await requirement('script', () => execFileSync('script', ['--version']).length > 0);
let folder: string;
let hub: HubServer;
let platform: RunningPlatform;
/** Where platforms of this user are listed. */
let listing: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-commands-'));
  for (const name of ['home', 'elsewhere', 'tmp']) mkdirSync(join(folder, name));
  listing = join(folder, 'tmp', `roundhouse-${userInfo().uid}`);
  hub = await startHub();
  writeTinyModel(join(folder, 'tiny.gguf'));
  const files = { 'tiny-F32.gguf': readFileSync(join(folder, 'tiny.gguf')) };
  hub.repositories.set('org/tiny-chat', { files, pipelineTag: 'text-generation', license: 'mit' });
  platform = await startPlatform({
    cwd: join(folder, 'home'),
    env: { TMPDIR: join(folder, 'tmp'), HF_ENDPOINT: hub.endpoint, HF_HOME: join(folder, 'hf') },
  });
});
afterAll(async () => {
  await platform?.stop();
  await hub?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Outcome {
  code: number | null;
  out: string;
  error: string;
}

function run(program: string, args: string[], options: RunOptions): Promise<Outcome> {
  const { env = {}, input = '', stop } = options;
  const child = spawn(program, args, {
    cwd: options.cwd ?? join(folder, 'elsewhere'),
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: join(folder, 'tmp'), ...env },
  });
  let interrupted = false;
  const result: Outcome = { code: null, out: '', error: '' };
  child.stdout.on('data', (chunk) => {
    result.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    result.error += chunk;
    if (!interrupted && stop?.test(result.error)) interrupted = child.kill('SIGINT');
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ ...result, code })));
}

interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  input?: string;
  /** Presses Ctrl+C once this was printed on stderr. */
  stop?: RegExp;
}

const roundhouse = (args: string, options: RunOptions = {}) =>
  run(process.execPath, [main, ...args.split(' ')], options);

const adminKey = () => readFileSync(join(folder, 'home/data/admin-token'), 'utf8').trim();

describe('the platform that runs', () => {
  it('is found from any folder, with its key', async () => {
    const { code, out } = await roundhouse('keys list');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^ID +NAME .*\nadmin +admin /) });
  });

  it('is the one that --server or ROUNDHOUSE_URL names; a key of this machine goes nowhere else', async () => {
    const key = { ROUNDHOUSE_API_KEY: adminKey() };
    const nowhere = { ROUNDHOUSE_URL: 'http://127.0.0.1:9' };
    expect(await roundhouse('status', { env: nowhere })).toMatchObject({
      code: 1,
      out: '',
      error: expect.stringMatching(
        /^roundhouse: no platform is running at http:\/\/127\.0\.0\.1:9 .*'roundhouse serve'.*\n$/,
      ),
    });
    expect(await roundhouse(`keys list --server ${platform.url}/v1/`, { env: nowhere })).toMatchObject({
      code: 0,
    });
    rmSync(listing, { recursive: true });
    expect(await roundhouse(`keys list --server ${platform.url}`)).toMatchObject({
      code: 1,
      error: `roundhouse: ${platform.url} needs an API key for this: pass one with --key or set ROUNDHOUSE_API_KEY\n`,
    });
    expect(await roundhouse('keys list', { env: { ROUNDHOUSE_URL: platform.url, ...key } })).toMatchObject({
      code: 0,
    });
    expect((await roundhouse(`keys list --server ${platform.url} --key rh-wrong`)).error).toContain(
      'does not accept the key from --key',
    );
    const withPassword = platform.url.replace('://', '://user:hunter2@');
    const refused = await roundhouse('status', { env: { ROUNDHOUSE_URL: withPassword, ...key } });
    expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('pass the key with --key') });
    expect(refused.error).not.toContain('hunter2');
    expect(await roundhouse('status', { env: { ROUNDHOUSE_URL: 'localhost' } })).toMatchObject({
      code: 1,
      error: expect.stringContaining('ROUNDHOUSE_URL: expected an address'),
    });
  });

  it('must be chosen where several run; killed ones and lists that others could write do not count', async () => {
    const list = (dataDir: string, pid: number) => {
      mkdirSync(dataDir, { recursive: true });
      writeFileSync(join(dataDir, 'address'), `http://127.0.0.1:${pid % 1000}\n`);
      const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
      const entry = { pid, started: null, data_dir: dataDir, parts: ['management'] };
      writeFileSync(join(listing, `${name}.json`), JSON.stringify(entry));
    };
    mkdirSync(listing, { mode: 0o700 });
    list(join(folder, 'home/data'), platform.pid);
    writeFileSync(join(folder, 'home/data/address'), `${platform.url}\n`);
    list(join(folder, 'killed'), 2 ** 22 + 1);
    writeFileSync(join(listing, 'broken.json'), '{');
    expect(await roundhouse('status')).toMatchObject({ code: 0 });
    list(join(folder, 'second'), process.pid);
    expect(await roundhouse('status')).toMatchObject({
      code: 1,
      error: expect.stringMatching(
        /several platforms run on this machine; choose one with --server: http.*\(.*second\)/,
      ),
    });
    const own = { cwd: join(folder, 'home') };
    expect((await roundhouse('status', own)).out).toContain(`at ${platform.url}`);
    chmodSync(listing, 0o777);
    expect((await roundhouse('status', { env: { ROUNDHOUSE_PORT: '9' } })).error).toContain(
      'no platform is running',
    );
    chmodSync(listing, 0o700);
    rmSync(join(folder, 'second/address'));
  });
});

describe('roundhouse status', () => {
  it('shows slots, disk, memory and GPUs, and the same as JSON', async () => {
    const { code, out } = await roundhouse('status');
    expect(code).toBe(0);
    expect(out).toMatch(/^Roundhouse \d+\.\d+\.\d+ at http:/);
    expect(out).toMatch(/^disk +.* free of .*home\/data\)$/m);
    expect(out).toMatch(/^SLOT +SERVES +ADAPTERS +PODS +STATE\nchat +nothing$/m);
    expect(out).toContain('no jobs are running');
    expect(out).toMatch(/^bots +none +\(create one with: roundhouse create-bot/m);
    const status: PlatformStatus = JSON.parse((await roundhouse('status --json')).out);
    expect(status).toMatchObject({ address: platform.url, pods: [], jobs: [], pods_problem: null });
    expect(status.disk.free_bytes).toBeGreaterThan(0);
    expect(status.memory.total_bytes).toBeGreaterThanOrEqual(status.memory.free_bytes);
  });
});

describe('roundhouse keys', () => {
  it('are created, listed and revoked, with errors in the words of the command line', async () => {
    const created = await roundhouse(
      'keys create --name ключ --scope index:read --models a,b --tokens-per-month 9 --json',
    );
    const key: ApiKeyCreated = JSON.parse(created.out);
    expect(key).toMatchObject({
      name: 'ключ',
      scopes: ['index:read'],
      limits: { tokens_per_month: 9, models: ['a', 'b'] },
    });
    expect((await roundhouse('keys create --name bare')).out).toMatch(/^rh-[A-Za-z0-9]{40}\n$/);
    expect((await roundhouse(`keys revoke ${key.id}`)).out).toContain("key 'ключ'");
    expect(await roundhouse(`keys revoke ${key.id}`)).toMatchObject({
      code: 1,
      error: expect.stringContaining('is already revoked'),
    });
    expect((await roundhouse('keys create --name x --scope everything')).error).toMatch(
      /^roundhouse: --scope: must be 'admin', /,
    );
    for (const expires of ['2020-01-01', 'tomorrow', '1'])
      expect(await roundhouse(`keys create --name x --expires ${expires}`)).toMatchObject({
        code: 1,
        error: expect.stringMatching(/'--expires <time>'.*(must be in the future|expected 2027-01-31)/),
      });
  });

  it('that have expired are listed as such', async () => {
    const body = { name: 'brief', scopes: ['index'], expires_at: new Date(Date.now() + 3_000).toISOString() };
    const headers = { authorization: `Bearer ${adminKey()}`, 'content-type': 'application/json' };
    const created = await fetch(`${platform.url}/api/v1/keys/`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(created.status).toBe(201);
    await until('it expires', async () => /brief .* expired \d/.test((await roundhouse('keys list')).out));
  });

  it('--offline is refused while the platform runs', async () => {
    expect(await roundhouse('keys create --name x --offline', { cwd: join(folder, 'home') })).toMatchObject({
      code: 1,
      error: expect.stringMatching(
        /^roundhouse: --offline is for a stopped platform, and this one is running/,
      ),
    });
  });
});

describe('roundhouse models', () => {
  it('search finds models of the catalog and of the hub', async () => {
    const { code, out, error } = await roundhouse('models search TINY');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toMatch(/^ID +FROM +TASK .*\norg\/tiny-chat +hub +llm +gguf +1234 +mit\n$/);
    expect((await roundhouse('models search qwen 1.5b')).out).toMatch(
      /\nqwen2\.5-1\.5b-instruct +catalog +llm /,
    );
    hub.fault = ({ path }) => (path === '/api/models' ? { status: 503 } : undefined);
    const offline = await roundhouse('models search qwen');
    hub.fault = () => undefined;
    expect(offline.code).toBe(0);
    expect(offline.out).toContain('qwen3-0.6b');
    expect(offline.error).toMatch(/^the hub could not be searched: .*503/);
    expect((await roundhouse('models search constructor')).out).toBe("nothing found for 'constructor'\n");
  });

  it('add and import refuse at once what cannot succeed, and suggest what was meant', async () => {
    expect(await roundhouse('models add qwen')).toMatchObject({
      code: 1,
      error: expect.stringMatching(
        /^roundhouse: 'qwen' is not in the catalog.*did you mean 'qwen.*' or '.*'\? search with/,
      ),
    });
    expect((await roundhouse('models import nowhere')).error).toBe(
      `roundhouse: the folder ${join(folder, 'elsewhere/nowhere')} can't be read: it does not exist on the machine that runs the platform\n`,
    );
    expect((await roundhouse('models import .')).error).toContain('does not look like a model');
    expect(JSON.parse((await roundhouse('jobs list --json')).out)).toEqual([]);
  });

  it('remove keeps a base with adapters unless told otherwise', async () => {
    const base = join(folder, 'base');
    const adapter = join(folder, 'law');
    for (const made of [base, adapter]) mkdirSync(made);
    writeTinyModel(join(base, 'tiny.gguf'));
    writeFileSync(
      join(adapter, 'adapter_config.json'),
      JSON.stringify({
        peft_type: 'LORA',
        base_model_name_or_path: 'ours/base',
        r: 4,
        target_modules: ['q_proj'],
      }),
    );
    const weight = { dtype: 'F32', shape: [4], data: Buffer.alloc(16) };
    writeFileSync(join(adapter, 'adapter_model.safetensors'), safetensorsOf({ weight }));
    expect((await roundhouse(`models import ${base} --id ours/base --wait`)).out).toBe(
      'IMPORT_ours/base is done\n',
    );
    expect((await roundhouse(`models import ${adapter} --wait`)).out).toBe('IMPORT_law is done\n');
    expect(await roundhouse('models remove ours/base')).toMatchObject({
      code: 1,
      error: expect.stringMatching(/^roundhouse: 'ours\/base' is the base of 'law': .*--with-adapters/),
    });
    expect((await roundhouse('models list')).out).toMatch(
      /^ID +KIND .*\nours\/base .*\nlaw +adapter of ours\/base /,
    );
    expect(await roundhouse('models remove ours/base --with-adapters')).toMatchObject({ code: 0 });
    expect((await roundhouse('models list')).out).toBe('no models yet\n');
    const removals = JSON.parse((await roundhouse('audit --action model.remove --json')).out);
    expect(removals.map(({ subject }: { subject: string }) => subject)).toEqual(['ours/base', 'law']);
  });
});

const cutOff = '(the answer was cut off at its limit of 4 tokens)\n';

describe('roundhouse run', () => {
  it('downloads, deploys and chats; a second time it only chats', async () => {
    const first = await roundhouse('run org/tiny-chat --max-tokens 4', { input: 'Привет\n' });
    expect(first.error).toMatch(/^downloading org\/tiny-chat\n(.*\n)*deploying org\/tiny-chat\n/);
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/\n$/);
    const again = await roundhouse('run org/tiny-chat --max-tokens 4', { input: 'Привет\n' });
    expect(again).toMatchObject({ code: 0, error: cutOff });
    expect((await roundhouse('status')).out).toMatch(/^chat +org\/tiny-chat +1 of 1 +ready$/m);
    expect(await roundhouse('run none')).toMatchObject({
      code: 1,
      error: expect.stringContaining("'none' is not"),
    });
  });

  it('a short name of the catalog works in every command that names a model', async () => {
    const id = 'Qwen/Qwen3-8B-GGUF:Q4_K_M';
    const files = { 'Qwen3-8B-Q4_K_M.gguf': readFileSync(join(folder, 'tiny.gguf')) };
    hub.repositories.set('Qwen/Qwen3-8B-GGUF', { files, pipelineTag: 'text-generation' });
    const first = await roundhouse('run qwen3-8b --max-tokens 4', { input: 'Привет\n' });
    expect(first).toMatchObject({ code: 0, error: expect.stringContaining(`deploying ${id}`) });
    expect(await roundhouse('run qwen3-8b --max-tokens 4', { input: 'Привет\n' })).toMatchObject({
      code: 0,
      error: cutOff,
    });
    // Not a replacement by another model, which would need --yes.
    expect(await roundhouse('deploy qwen3-8b --max-model-len 256 --wait')).toMatchObject({ code: 0 });
    const [job]: Job[] = JSON.parse((await roundhouse('jobs list --json')).out);
    expect(job?.name).toBe(`DEPLOY_${id}_adapters_`);
    expect((await roundhouse('models remove qwen3-8b')).error).toContain('is deployed');
    writeFileSync(join(folder, 'few.jsonl'), '{"prompt": "Hi", "completion": "Hello"}\n'.repeat(4));
    // An untrained base that the slot does not serve: refused before anything is uploaded.
    const replaced = `finetune run ${join(folder, 'few.jsonl')} --model org/tiny-chat --deploy`;
    expect(await roundhouse(replaced)).toMatchObject({
      code: 1,
      error: expect.stringContaining(`chat serves ${id}; use --yes to replace it`),
    });
    expect((await roundhouse('datasets list --json')).out).toBe('[]\n');
    await roundhouse('deploy stop');
    await until('it is undeployed', async () => !(await roundhouse('status')).out.includes(id));
    expect(await roundhouse('models remove qwen3-8b')).toMatchObject({ code: 0 });
    expect((await roundhouse('models list')).out).not.toContain('Qwen');
  });

  it.skipIf(!terminal.available)(
    'commands name the next step at a terminal, and nothing but the result in a pipe',
    async () => {
      const command = `'${process.execPath}' '${main}' models search tiny`;
      const shown = await run('script', ['-qec', command, '/dev/null'], {});
      expect(shown.out).toMatch(/^ID (.*\r\n)+next: roundhouse run <id>\r\n/);
      expect((await roundhouse('models search tiny')).error).toBe('');
    },
  );

  it('Ctrl+C stops watching, and says that the job goes on', async () => {
    hub.repositories.set('org/slow', { files: { 'slow-F32.gguf': Buffer.alloc(8 * 2 ** 20) } });
    hub.fault = ({ server }) => (server === 'storage' ? { trickle: 2 ** 12 } : undefined);
    const stopped = await roundhouse('models add org/slow --wait', { stop: /DOWNLOAD_org\/slow/ });
    expect(stopped.code).toBe(130);
    expect(stopped.error).toMatch(
      /Stopped watching; DOWNLOAD_org\/slow goes on.*jobs follow [0-9a-f-]{36}\n/,
    );
    const [job]: Job[] = JSON.parse((await roundhouse('jobs list --json')).out);
    expect(job).toMatchObject({ name: 'DOWNLOAD_org/slow', status: 'RUNNING' });
    expect((await roundhouse('status')).out).toMatch(
      /^ID +STATUS +STARTED +NAME +PROGRESS\n.*DOWNLOAD_org\/slow/m,
    );
    expect((await roundhouse(`jobs interrupt ${job?.id}`)).out).toContain('KILLED');
  });
});

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningPlatform, startPlatform } from './testkit/platform.ts';
import { until } from './testkit/until.ts';

const main = join(import.meta.dirname, '../src/cli/main.ts');
const folder = () => mkdtempSync(join(tmpdir(), 'roundhouse-cli-'));

/** With a data folder of its own, so that no other platform on this machine is found. */
const environmentOf = (cwd: string) => ({
  PATH: process.env.PATH,
  ROUNDHOUSE_DATA_DIR: join(cwd, 'data'),
  ROUNDHOUSE_STARTER: 'false',
});

function roundhouse(
  args: string[],
  options: { cwd?: string; env?: Record<string, string>; uid?: number } = {},
) {
  const { cwd = folder(), env = {}, uid } = options;
  const child = spawnSync(process.execPath, [main, ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...environmentOf(cwd), ...env },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  return { code: child.status, out: child.stdout, error: child.stderr };
}

const running: RunningPlatform[] = [];
afterEach(async () => {
  for (const platform of running.splice(0)) await platform.stop();
});
async function start(...args: Parameters<typeof startPlatform>) {
  const platform = await startPlatform(...args);
  running.push(platform);
  return platform;
}

/** What a terminal shows of a start until it is ready. */
async function screenOf(cwd: string): Promise<string> {
  const command = `'${process.execPath}' '${main}' serve --port 0`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd,
    env: environmentOf(cwd),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  child.stdout.on('data', (chunk) => {
    screen += chunk;
  });
  await until('it is ready', () => screen.includes('Press Ctrl+C'));
  child.stdin.write('\x03');
  await once(child, 'exit');
  return screen;
}

describe('roundhouse', () => {
  it('helps, and points at the right one after a mistake', () => {
    for (const command of [[], ['serve'], ['models', 'search'], ['bots', 'ask'], ['config', 'print']]) {
      const { code, out } = roundhouse([...command, '--help']);
      expect([code, out]).toEqual([0, expect.stringContaining('Usage: roundhouse')]);
    }
    const wrong = roundhouse(['serv']);
    expect([wrong.code, wrong.error]).toEqual([1, expect.stringContaining('Did you mean serve?')]);
  });

  it('ends without a word where nobody reads on', () => {
    const cwd = folder();
    const pipe = spawnSync('sh', ['-c', `'${process.execPath}' '${main}' models catalog | true`], {
      cwd,
      encoding: 'utf8',
      env: environmentOf(cwd),
    });
    expect(pipe.stderr).toBe('');
  });

  it('version says what runs', () => {
    expect(roundhouse(['version']).out).toMatch(/^roundhouse \d+\.\d+\.\d+ \(node v\d+/);
  });

  it('config check and print: sound, unsound, masked', () => {
    const cwd = folder();
    expect(roundhouse(['config', 'check'], { cwd })).toMatchObject({
      code: 0,
      out: 'the configuration is valid\n',
    });
    const printed = roundhouse(['config', 'print', '--set', 'http.body_limit=1MiB'], {
      cwd,
      env: { ROUNDHOUSE_ADMIN_TOKEN: 'very-secret' },
    });
    expect(printed.out).toContain('body_limit: 1MiB');
    expect(printed.out).toContain('drain_timeout: 30s');
    expect(printed.out).toContain('# otlp_endpoint: (not set)');
    writeFileSync(join(cwd, 'printed.yaml'), printed.out);
    expect(roundhouse(['config', 'check', '-c', 'printed.yaml'], { cwd }).code).toBe(0);
    expect(printed.out).not.toContain('very-secret');
    writeFileSync(join(cwd, 'roundhouse.yaml'), 'porrt: 1\nhost: 5\n');
    const unsound = roundhouse(['config', 'check'], { cwd });
    expect(unsound.code).toBe(1);
    expect(unsound.error).toContain('2 problems');
    expect(unsound.error).toContain('porrt (roundhouse.yaml line 1): unknown key; did you mean port?');
  });

  it('keys need the platform; without one, an admin key is made with --offline', async () => {
    const cwd = folder();
    const env = { ROUNDHOUSE_PORT: '9' };
    expect(roundhouse(['keys', 'list'], { cwd, env })).toMatchObject({
      code: 1,
      error: expect.stringContaining("start one with 'roundhouse serve'"),
    });
    const create = ['keys', 'create', '--name', 'ключ', '--offline', '--json'];
    expect(roundhouse([...create, '--scope', 'everything'], { cwd })).toMatchObject({
      code: 1,
      error: expect.stringContaining('--scope: must be'),
    });
    const { key } = JSON.parse(roundhouse([...create, '--scope', 'admin'], { cwd }).out);
    const platform = await start({ cwd });
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${platform.url}/api/v1/keys/`, { headers })).status).toBe(200);
  });
});

describe('roundhouse serve', () => {
  it('serves, names the file of the admin key, and lets keys be made and revoked while it runs', async () => {
    const cwd = folder();
    const platform = await start({ cwd });
    const file = join(cwd, 'data/admin-token');
    const adminKey = readFileSync(file, 'utf8').trim();
    expect(platform.output()).toContain(`Admin key       in ${file}`);
    const list = (key: string) => fetch(`${platform.url}/api/v1/keys/`, { headers: { authorization: key } });
    expect((await list(adminKey)).status).toBe(200);

    const created = JSON.parse(
      roundhouse(['keys', 'create', '--name', 'second', '--scope', 'admin', '--json'], { cwd }).out,
    );
    expect((await list(`Bearer ${created.key}`)).status).toBe(200);
    roundhouse(['keys', 'revoke', created.id], { cwd });
    expect((await list(`Bearer ${created.key}`)).status).toBe(401);
    // What others pipe into a file holds no key.
    expect(platform.output()).not.toMatch(/rh-[A-Za-z0-9]{40}/);
  });

  it('shows the admin key on a terminal once, also after a first start that failed', async () => {
    const cwd = folder();
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    expect(roundhouse(['serve', '--port', String(port)], { cwd }).code).toBe(1);
    other.close();
    const adminKey = readFileSync(join(cwd, 'data/admin-token'), 'utf8').trim();
    expect(await screenOf(cwd)).toContain(adminKey);
    const second = await screenOf(cwd);
    expect(second).not.toContain(adminKey);
    expect(second).toMatch(/Admin key +in \S+admin-token/);
  });

  it('logs nothing before its greeting, and neither reads nor reports of pods after it', async () => {
    const { url, output, stop } = await start();
    const headers = { 'content-type': 'application/json', 'x-request-id': 'mine' };
    for (const path of ['/', '/api/v1/jobs/', '/healthz', '/readyz']) await fetch(url + path);
    const report = JSON.stringify({ pod_id: 'p', task: 'llm', served_model_name: 'm' });
    const reported = await fetch(`${url}/pods-info/`, { method: 'POST', headers, body: report });
    expect(reported.status).toBe(200);
    await fetch(`${url}/nowhere`, { headers });
    await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: '{"model":"none"}' });
    await until('the last request is logged', () => output().includes('"proxied"'));
    await stop();
    const lines = output().split('\n');
    expect(lines[0]).toBe('');
    expect(lines[1]).toMatch(/^ {2}Roundhouse is ready/);
    const logged = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    const requests = logged.filter(({ msg }) => !msg.startsWith('stopping'));
    expect(requests.map(({ msg, path, request_id: id }) => [msg, path, id])).toEqual([
      ['request', '/nowhere', 'mine'],
      ['proxied', '/v1/chat/completions', 'mine'],
    ]);
  });

  it('serves only what is asked for', async () => {
    const platform = await start({ args: ['--only', 'management'] });
    expect((await fetch(`${platform.url}/api/docs/`)).status).toBe(200);
    expect((await fetch(`${platform.url}/hosted/docs/`)).status).toBe(404);
    expect(roundhouse(['serve', '--only', 'managment'])).toMatchObject({
      code: 1,
      error: expect.stringContaining('unknown part "managment"'),
    });
  });

  it('SIGTERM: exit code 0, also with a connection that never says anything', async () => {
    const platform = await start();
    const idle = connect(Number(new URL(platform.url).port), '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    expect(await platform.stop()).toBe(0);
  });

  it('Ctrl+C is acknowledged at once', async () => {
    const platform = await start();
    process.kill(platform.pid, 'SIGINT');
    await until('it says so', () =>
      platform.output().includes('Stopping …; press Ctrl+C again to quit at once'),
    );
  });
});

/** One clear line, exit code 1, nothing damaged. */
describe('roundhouse serve refuses', () => {
  const refusal = (result: ReturnType<typeof roundhouse>) => {
    expect(result.code).toBe(1);
    expect(result.error.trim().split('\n')).toHaveLength(1);
    return result.error;
  };

  it('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    expect(refusal(roundhouse(['serve', '--port', String(port)]))).toContain(
      `port ${port} on 127.0.0.1 is in use`,
    );
    other.close();
  });

  it('a data folder that is a file, or that may not be written', () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'data'), 'mine');
    expect(refusal(roundhouse(['serve'], { cwd }))).toMatch(
      /the data folder .* can't be used: it is not a folder/,
    );
    expect(readFileSync(join(cwd, 'data'), 'utf8')).toBe('mine');

    const locked = folder();
    mkdirSync(join(locked, 'data'), { mode: 0o555 });
    chmodSync(locked, 0o755);
    // Root may write anywhere: the check is made as somebody else.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    if (uid !== undefined && !readableBy(uid)) return;
    expect(refusal(roundhouse(['serve'], { cwd: locked, ...(uid === undefined ? {} : { uid }) }))).toMatch(
      /the data folder .* can't be used: .*permission denied/i,
    );
  });

  it('a second process on the same data folder', async () => {
    const cwd = folder();
    const { url } = await start({ cwd });
    const second = refusal(roundhouse(['serve', '--port', '0'], { cwd }));
    expect(second).toContain(`Roundhouse is already running at ${url}.`);
    expect(second).toMatch(/is in use by another Roundhouse process \(pid \d+\)/);
  });

  it('a database newer than the program', async () => {
    const cwd = folder();
    await (await startPlatform({ cwd })).stop();
    const file = join(cwd, 'data/roundhouse.db');
    const database = new Sqlite(file);
    database.exec(
      "insert into schema_migrations (number, name, applied_at) values (9999, 'from-the-future', 0)",
    );
    database.close();
    expect(refusal(roundhouse(['serve', '--port', '0'], { cwd }))).toMatch(/newer/);
  });

  it('a corrupt admin-token file', () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'data'));
    writeFileSync(join(cwd, 'data/admin-token'), 'oops');
    expect(refusal(roundhouse(['serve', '--port', '0'], { cwd }))).toContain('does not contain an admin key');
    expect(readFileSync(join(cwd, 'data/admin-token'), 'utf8')).toBe('oops');
  });

  it('S3 without credentials', () => {
    const env = { AWS_EC2_METADATA_DISABLED: 'true', ROUNDHOUSE_TELEMETRY_LOG_LEVEL: 'warn' };
    expect(
      refusal(roundhouse(['serve', '--port', '0', '--set', 'blobs.url=s3://bucket/files'], { env })),
    ).toContain('there are no credentials for S3: set blobs.s3.access_key_id');
  });

  it('open mode on an address that others can reach', () => {
    expect(roundhouse(['serve', '--host', '0.0.0.0', '--set', 'auth.open=true'])).toMatchObject({
      code: 1,
      error: expect.stringContaining('auth.open (command line): anyone who can reach 0.0.0.0'),
    });
  });
});

/** Whether another user can read the program at all: a checkout below a private home can't be. */
function readableBy(uid: number): boolean {
  return (
    spawnSync(process.execPath, ['-e', `require('fs').readFileSync(${JSON.stringify(main)})`], {
      uid,
      gid: uid,
    }).status === 0
  );
}

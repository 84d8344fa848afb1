import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/contracts/management/audit.ts';
import { type RunningPlatform, startPlatform } from '../testkit/platform.ts';

const main = join(import.meta.dirname, '../../src/cli/main.ts');
let cwd: string;
let platform: RunningPlatform;

function roundhouse(...args: string[]) {
  const env = { PATH: process.env.PATH, ROUNDHOUSE_DATA_DIR: join(cwd, 'data') };
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    cwd,
    encoding: 'utf8',
    env,
  });
  return { code: status, out: stdout, error: stderr };
}

describe('roundhouse audit', () => {
  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'audit-command-'));
    expect(roundhouse('keys', 'create', '--name', 'before', '--offline').code).toBe(0);
    platform = await startPlatform({ cwd });
    expect(roundhouse('keys', 'create', '--name', 'портал', '--scope', 'admin').code).toBe(0);
    await fetch(`${platform.url}/api/v1/models/add/?model_id=org/none`, { method: 'POST' });
  });
  afterAll(async () => {
    await platform?.stop();
    rmSync(cwd, { recursive: true, force: true });
  });

  it('shows who changed what under headings, newest first', () => {
    const { code, out } = roundhouse('audit');
    expect(code).toBe(0);
    const [headings, ...lines] = out.trim().split('\n');
    expect(headings).toMatch(/^TIME +ACTOR +ACTION +SUBJECT$/);
    expect(lines.map((line) => line.slice(19).trim().replaceAll(/ {2,}/g, ' | '))).toEqual([
      'anonymous | model.add | org/none',
      expect.stringMatching(/^admin \| key\.create \| портал \([\w-]{36}\)$/),
      'platform (admin token) | key.create | admin (admin)',
      expect.stringMatching(/^platform \(command line\) \| key\.create \| before \([\w-]{36}\)$/),
    ]);
  });

  it('filters, limits, and prints JSON', () => {
    const json = (...args: string[]) =>
      JSON.parse(roundhouse('audit', '--json', ...args).out) as AuditEntry[];
    expect(json()).toHaveLength(4);
    expect(json('--limit', '1')).toMatchObject([{ action: 'model.add' }]);
    expect(json('--action', 'key.create', '--since', '2h')).toHaveLength(3);
    expect(json('--actor', 'platform')).toHaveLength(2);
    expect(json('--subject', 'org/none', '--until', '1d')).toEqual([]);
    expect(json('--limit', '5000')).toHaveLength(4);
  });

  it('says what to do where nothing matches, and what an option takes', () => {
    expect(roundhouse('audit', '--actor', 'nobody').out).toContain('no matching entries');
    expect(roundhouse('audit', '--since', 'yesterday')).toMatchObject({
      code: 1,
      error: expect.stringContaining('expected 30m, 2h, 7d'),
    });
    expect(roundhouse('audit', '--action', 'constructor').error).toContain('key.create');
  });

  it('keeps entries through a kill, and no secret in the database’s table', async () => {
    await platform.kill();
    platform = await startPlatform({ cwd, env: { ROUNDHOUSE_ADMIN_TOKEN: 'another-admin-token' } });
    const url = `${platform.url}/api/v1/audit`;
    expect((await fetch(url)).status).toBe(401);
    const answer = await fetch(url, { headers: { authorization: 'another-admin-token' } });
    const { entries } = (await answer.json()) as { entries: AuditEntry[] };
    expect(entries).toHaveLength(5);
    expect(entries[0]).toMatchObject({ action: 'key.replace', actor: { name: 'admin token' } });
    expect(JSON.stringify(entries)).not.toMatch(/rh-|another-admin-token/);
  });
});

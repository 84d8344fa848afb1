import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfigSources } from './platform/config/load-settings.ts';
import { loadConfig, printConfig } from './settings.ts';

function folderWith(yaml?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-config-'));
  if (yaml !== undefined) writeFileSync(join(folder, 'roundhouse.yaml'), yaml);
  return folder;
}

const load = (yaml?: string, more: Partial<ConfigSources> = {}) =>
  loadConfig({ environment: {}, workingDirectory: folderWith(yaml), ...more });

const refusal = (yaml?: string, more: Partial<ConfigSources> = {}): string => {
  try {
    load(yaml, more);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the configuration was accepted');
};

describe('loadConfig', () => {
  it('fills in defaults where nothing is said', () => {
    const config = load();
    expect(config).toMatchObject({
      host: '127.0.0.1',
      starter: true,
      auth: { open: true },
      http: { drain_timeout: 30_000 },
    });
    expect(config.port).toBeUndefined();
    expect(config.database.url).toMatch(/^sqlite:.*roundhouse\.db$/);
  });

  it('puts the environment over the file, and flags over both', () => {
    const yaml = 'port: 1\nhost: localhost\ntelemetry:\n  log_level: warn\n';
    const environment = { ROUNDHOUSE_PORT: '2', ROUNDHOUSE_TELEMETRY_LOG_LEVEL: 'error', HF_TOKEN: 'hf_x' };
    const config = load(yaml, { environment, flags: { port: '3', 'http.drain_timeout': '1.5m' } });
    expect(config).toMatchObject({
      port: 3,
      host: 'localhost',
      telemetry: { log_level: 'error' },
      hub: { token: 'hf_x' },
    });
    expect(config.http.drain_timeout).toBe(90_000);
  });

  it('reads sizes, lists and booleans from text', () => {
    const environment = {
      ROUNDHOUSE_HTTP_BODY_LIMIT: '2MiB',
      ROUNDHOUSE_HTTP_CORS_ORIGINS: 'https://a.example, https://б.example',
      ROUNDHOUSE_STARTER: 'no',
    };
    const config = load(undefined, { environment });
    expect(config.http).toMatchObject({
      body_limit: 2 ** 21,
      cors_origins: ['https://a.example', 'https://б.example'],
    });
    expect(config.starter).toBe(false);
  });

  it.each([
    'http.drain_timeout',
    'dispatcher.caller_timeout',
    'sources.time_limit',
    'outgoing.time_limit',
    'outgoing.longest_wait',
    'documents.time_limit',
  ])('refuses a %s that is longer than timers can be', (key) => {
    expect(refusal(undefined, { flags: { [key]: '30d' } })).toContain('expected at most 24d');
    expect(() => load(undefined, { flags: { [key]: '24d' } })).not.toThrow();
  });

  it('lists every problem at once, each with its place and what was expected', () => {
    const yaml = 'prot: 5500\nauth:\n  opne: true\nhttp:\n  body_limit: lots\n';
    const text = refusal(yaml, {
      environment: { ROUNDHOUSE_PORT: 'abc', ROUNDHOUSE_STARTR: 'true' },
      flags: { hots: 'x' },
    });
    expect(text).toContain('6 problems');
    expect(text).toContain('prot (roundhouse.yaml line 1): unknown key; did you mean port?');
    expect(text).toContain('auth.opne (roundhouse.yaml line 3): unknown key; did you mean auth.open?');
    expect(text).toContain('http.body_limit (roundhouse.yaml line 5): expected a size such as');
    expect(text).toContain('port (ROUNDHOUSE_PORT): expected');
    expect(text).toContain(
      'ROUNDHOUSE_STARTR (environment): unknown setting; did you mean ROUNDHOUSE_STARTER?',
    );
    expect(text).toContain('hots (command line): unknown key; did you mean host?');
  });

  it('refuses a file that is not YAML, is not a mapping, or is not there', () => {
    expect(refusal('a: [1,')).toContain('roundhouse.yaml (configuration file):');
    expect(refusal('- one\n- two\n')).toContain('expected keys and values');
    expect(refusal(undefined, { file: 'other.yaml' })).toContain(
      'other.yaml (configuration file): no such file',
    );
  });

  it('closes the platform on other addresses, and refuses open mode there unless told by name', () => {
    expect(load('host: 0.0.0.0\n').auth.open).toBe(false);
    expect(refusal('host: 0.0.0.0\nauth:\n  open: true\n')).toContain(
      'auth.open (roundhouse.yaml line 3): anyone who can reach 0.0.0.0',
    );
    expect(load('host: 0.0.0.0\nauth:\n  open: true\n  open_beyond_loopback: true\n').auth.open).toBe(true);
    expect(load('host: "::1"\n').auth.open).toBe(true);
  });
});

describe('printConfig', () => {
  it('masks every secret', () => {
    const environment = {
      ROUNDHOUSE_ADMIN_TOKEN: 'admin-secret',
      HF_TOKEN: 'hub-secret',
      ROUNDHOUSE_BLOBS_S3_SECRET_ACCESS_KEY: 'blob-secret',
      ROUNDHOUSE_DATABASE_URL: 'postgres://anna:db-secret@db.example/roundhouse',
    };
    const text = printConfig(load(undefined, { environment }));
    for (const kept of ['admin', 'hub', 'blob', 'db']) expect(text).not.toContain(`${kept}-secret`);
    expect(text).toContain('postgres://anna:********@db.example/roundhouse');
    expect(text).toContain('admin_token: "********"');
  });

  it('shows every setting, with units, as a file that can be read again', () => {
    const environment = { ROUNDHOUSE_HTTP_BODY_LIMIT: '1500KB', ROUNDHOUSE_QUEUE_TIMEOUT: '90s' };
    const text = printConfig(load(undefined, { environment }));
    expect(text).toMatch(/^ {2}body_limit: 1500KB$/m);
    expect(text).toMatch(/^queue:\n {2}size: \d+\n {2}timeout: 90s$/m);
    expect(text).toMatch(/^audit:\n {2}retention: 400d$/m);
    expect(text).toMatch(/^# pod:\n {2}# key: \(not set\)\n {2}# secret: \(not set\)$/m);
    expect(printConfig(load(text))).toBe(text);
  });
});

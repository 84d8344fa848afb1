import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findOrigins } from './package-origins.ts';

describe('findOrigins', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'home-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const find = (environment: Record<string, string> = {}, packages = {}) =>
    findOrigins({
      hub: { endpoint: 'https://hub.example/' },
      packages,
      environment: { HOME: home, ...environment },
    });

  test('the public registries where nothing else is said', async () => {
    const origins = await find({ PIP_CONFIG_FILE: '/dev/null' });
    expect(origins.pypi.url).toBe('https://pypi.org/simple');
    expect(origins.maven.url).toBe('https://repo1.maven.org/maven2');
    expect(origins.hub).toEqual({ url: 'https://hub.example', headers: {}, proxied: false });
  });

  test("a company's mirrors as pip and Maven know them", async () => {
    mkdirSync(join(home, '.config', 'pip'), { recursive: true });
    writeFileSync(
      join(home, '.config', 'pip', 'pip.conf'),
      '[global]\ntimeout = 9\nindex-url = https://pip.example/simple/\n',
    );
    mkdirSync(join(home, '.m2'));
    writeFileSync(
      join(home, '.m2', 'settings.xml'),
      `<settings><mirrors><!-- <mirror><mirrorOf>*</mirrorOf><url>https://old.example</url></mirror> -->
       <mirror><mirrorOf>snapshots</mirrorOf><url>https://no.example</url></mirror>
       <mirror><mirrorOf>central,other</mirrorOf><url>https://maven.example/all/</url></mirror></mirrors></settings>`,
    );
    const origins = await find();
    expect(origins.pypi.url).toBe('https://pip.example/simple');
    expect(origins.maven.url).toBe('https://maven.example/all');
    expect((await find({ PIP_INDEX_URL: 'https://env.example/s' })).pypi.url).toBe('https://env.example/s');
    expect((await find({}, { pypi_index: 'https://set.example/s' })).pypi.url).toBe('https://set.example/s');
  });

  test('a password in an address becomes a header', async () => {
    const { pypi } = await find({ PIP_INDEX_URL: 'https://anna:p%40ss@pip.example/simple' });
    expect(pypi.url).toBe('https://pip.example/simple');
    expect(pypi.headers.authorization).toBe(`Basic ${Buffer.from('anna:p@ss').toString('base64')}`);
  });
});

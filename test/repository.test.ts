import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { missingPaths, namedPaths } from '../scripts/check-docs.ts';
import { completeLockfile, type Lockfile } from '../scripts/complete-lockfile.ts';

describe('paths in the documentation', () => {
  const root = mkdtempSync(join(tmpdir(), 'roundhouse-docs-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test('names in backticks and links are paths; patterns, addresses and code are not', () => {
    const text = [
      'See `src/server.ts`, `src/server.ts:12` and [the page](../architecture.md#rooms).',
      'Not `src/*/x.ts`, `docs/decisions/NNNN-<title>.md`, `application/json`, `npm test`, [out](https://example.org).',
    ].join('\n');
    expect(namedPaths(text, 'docs/decisions')).toEqual([
      { line: 1, path: 'src/server.ts' },
      { line: 1, path: 'src/server.ts' },
      { line: 1, path: 'docs/architecture.md' },
    ]);
  });

  test('a path that is gone is named with its line', () => {
    writeFileSync(join(root, 'README.md'), 'Read\n[this](README.md), then `docs/gone.md`.\n');
    expect(missingPaths(root, ['README.md'])).toEqual([
      'README.md:2 names docs/gone.md, which does not exist',
    ]);
  });
});

describe('the lockfile', () => {
  const tool = {
    version: '1.0.0',
    dev: true,
    optionalDependencies: { '@tool/linux-x64': '1.0.0', '@tool/darwin-arm64': '^1.0.0' },
  };

  test('gets what a partial mirror left out, for its platform only', () => {
    const lockfile = {
      packages: { 'node_modules/tool': tool, 'node_modules/@tool/linux-x64': { version: '1.0.0' } },
    };
    expect(completeLockfile(lockfile)).toEqual(['node_modules/@tool/darwin-arm64']);
    expect(lockfile.packages).toMatchObject({
      'node_modules/@tool/darwin-arm64': {
        version: '1.0.0',
        cpu: ['arm64'],
        os: ['darwin'],
        dev: true,
        optional: true,
      },
    });
    expect(completeLockfile(lockfile)).toEqual([]);
  });

  test('packages for a GPU are passed over by npm', () => {
    const name = 'node_modules/@node-llama-cpp/linux-x64-cuda';
    const lockfile: Lockfile = { packages: { [name]: { version: '3.22.1', cpu: ['x64'] } } };
    expect(completeLockfile(lockfile)).toEqual([name]);
    expect(lockfile.packages[name]?.cpu).toEqual(['on-demand']);
    expect(completeLockfile(lockfile)).toEqual([]);
  });

  test('names no registry', () => {
    const lockfile: Lockfile = {
      packages: { 'node_modules/a': { resolved: 'https://mirror.example/a.tgz' } },
    };
    expect(completeLockfile(lockfile)).toEqual(['node_modules/a']);
    expect(lockfile.packages['node_modules/a']).toEqual({});
  });
});

import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runSealed } from '../testkit/machine/sealed-machine.ts';
import { dataFolderWith } from '../testkit/models/catalog-model.ts';
import { requirement } from '../testkit/requirement.ts';

let models = '';
const weights = await requirement('starter models', async () => {
  models = await dataFolderWith('smollm2-135m-instruct', 'all-minilm-l6-v2');
});
const namespaces = await requirement('network namespaces', async () => {
  await runSealed('true', [], process.env);
});

describe.skipIf(!weights.available || !namespaces.available)('a platform that serves requests', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'roundhouse-privacy-'));
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  it('looks up no host, contacts no address, and leaves no files in the home folder', async () => {
    const home = join(cwd, 'home');
    mkdirSync(home);
    cpSync(models, join(cwd, 'data'), { recursive: true });
    const script = join(import.meta.dirname, 'serve-and-watch.ts');
    const plain = { PATH: process.env.PATH, LANG: process.env.LANG };
    const seen = JSON.parse(await runSealed(process.execPath, [script, cwd, home], plain));
    expect(seen).toEqual({ statuses: [200, 200], asked: [], unreachable: 0, files: [] });
  }, 240_000);
});

import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../../test/testkit/stores/open-database.ts';
import { withFolderLock } from '../../files/locks/folder-lock.ts';
import { sweepImported } from './sweep-imported.ts';

it('deletes what interrupted imports left behind, and nothing of one that is running', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sweep-'));
  const imported = join(folder, 'imported');
  const database = await openDatabase({ url: `sqlite:${join(folder, 'test.db')}` });
  for (const name of ['running.partial', 'interrupted.partial', 'interrupted']) {
    mkdirSync(join(imported, name), { recursive: true });
  }
  await withFolderLock(join(imported, 'running'), { signal: AbortSignal.timeout(60_000) }, async () => {
    await sweepImported(database, imported);
    expect(readdirSync(imported).sort()).toEqual(['running.lock', 'running.partial']);
  });
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

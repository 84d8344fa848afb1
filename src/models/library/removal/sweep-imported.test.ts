import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../../test/testkit/open-database.ts';
import { systemClock } from '../../../contracts/clock.ts';
import { createWorkQueue } from '../../../platform/queue/work-queue.ts';
import { sweepImported } from './sweep-imported.ts';

it('deletes what gone imports left behind, and nothing of one that another platform may be running', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sweep-'));
  const database = await openDatabase({ url: `sqlite:${join(folder, 'test.db')}` });
  const queue = createWorkQueue({ database, clock: systemClock });
  const { id } = await queue.enqueue({ kind: 'DOWNLOAD', name: 'import' });
  const running = `model-${id.slice(0, 8)}.partial`;
  for (const name of [running, 'model-00000000.partial']) {
    mkdirSync(join(folder, 'imported', name), { recursive: true });
  }
  await sweepImported(database, queue, join(folder, 'imported'));
  expect(readdirSync(join(folder, 'imported'))).toEqual([running]);
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../../test/testkit/until.ts';
import { PodLog } from './pod-log.ts';

test('what a log can not store is dropped and counted, and it goes on once it can', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pod-log-'));
  // A folder in the place of the file: no write to it succeeds, as on a full disk.
  mkdirSync(join(folder, 'pod.log'));
  const log = new PodLog(folder, { retryAfter: 1 });
  log.write('one\n');
  // The stream fails in the background.
  await until('the failure', () => log.dropped > 0);
  rmSync(join(folder, 'pod.log'), { recursive: true });
  await until('the log to go on', () => {
    log.write('two\n');
    try {
      return readFileSync(join(folder, 'pod.log'), 'utf8').includes('two\n');
    } catch {
      return false;
    }
  });
  await log.close();
  expect(readFileSync(join(folder, 'pod.log'), 'utf8')).toMatch(/^\d+ pieces of output were dropped\ntwo\n/);
  rmSync(folder, { recursive: true });
});

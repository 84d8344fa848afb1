import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findLeftovers } from '../testkit/document-index/find-leftovers.ts';
import { killStorm } from '../testkit/document-index/kill-storm.ts';

it('60 commands on 6 bots, with kills at random: each ends once, and nothing is lost or left', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-index-kill-'));
  const url = `sqlite:${join(folder, 'roundhouse.db')}`;
  try {
    const seed = Number(process.env.ROUNDHOUSE_TEST_SEED ?? Math.floor(Math.random() * 1e6));
    const report = await killStorm({ folder, url, bots: 6, commands: 60, seed, calm: 700 });
    expect(report.problems, `seed ${seed}`).toEqual([]);
    expect(report.accepted).toBe(60);
    expect(report.kills).toBeGreaterThan(0);
    expect(await findLeftovers(folder, url), `seed ${seed}`).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

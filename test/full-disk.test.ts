import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningPlatform, startPlatform } from './testkit/platform.ts';
import { requirement } from './testkit/requirement.ts';
import { until } from './testkit/until.ts';

const mounts = await requirement('a small file system', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mount-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'pipe' });
  execFileSync('umount', [folder]);
  rmSync(folder, { recursive: true });
});

let platform: RunningPlatform | undefined;
afterEach(async () => {
  await platform?.stop();
  platform = undefined;
});

it('a platform whose output nobody reads any more goes on', async () => {
  platform = await startPlatform();
  platform.closeOutput();
  for (let count = 0; count < 5; count++) {
    // Each of these is logged.
    await fetch(`${platform.url}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'nobody', prompt: 'a' }),
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect((await fetch(`${platform.url}/healthz`)).status).toBe(200);
  expect(await platform.stop()).toBe(0);
});

describe.runIf(mounts.available)('a full data disk', () => {
  it('507 for writes, not ready, deletions work; it recovers by itself', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'full-disk-'));
    const data = join(cwd, 'data');
    execFileSync('mkdir', ['-p', data]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', data]);
    try {
      platform = await startPlatform({ cwd });
      const { url } = platform;
      const upload = (name: string, lines: number) => {
        const form = new FormData();
        const line = JSON.stringify({
          messages: [
            { role: 'user', content: 'x'.repeat(2_000) },
            { role: 'assistant', content: 'y' },
          ],
        });
        form.set('file', new File([`${line}\n`.repeat(lines)], `${name}.jsonl`));
        form.set('name', name);
        return fetch(`${url}/api/v1/datasets/upload/`, { method: 'POST', body: form });
      };
      const ready = async () => (await fetch(`${url}/readyz`)).status;
      const kept = await upload('kept', 2_000);
      expect(kept.status, await kept.clone().text()).toBe(200);
      const { id } = (await kept.json()) as { id: string };
      expect(await ready()).toBe(200);

      const { bavail, bsize } = statfsSync(data);
      try {
        writeFileSync(join(data, 'filler'), Buffer.alloc(bavail * bsize - 3 * bsize));
      } catch (error) {
        // The platform may write meanwhile, too.
        expect(error).toMatchObject({ code: 'ENOSPC' });
      }
      expect((await upload('refused', 200)).status).toBe(507);
      expect(await ready()).toBe(503);
      const removed = await fetch(`${url}/api/v1/datasets/${id}`, { method: 'DELETE' });
      expect(removed.status, await removed.text()).toBeLessThan(300);

      rmSync(join(data, 'filler'));
      await until('it to be ready again', async () => (await ready()) === 200);
      expect((await upload('accepted', 200)).status).toBe(200);
      await platform.stop();
      platform = undefined;
    } finally {
      await platform?.stop();
      platform = undefined;
      execFileSync('umount', ['-l', data]);
      rmSync(cwd, { recursive: true, force: true });
    }
  });
});

import { execFileSync } from 'node:child_process';
import { afterAll, expect, test } from 'vitest';
import { requirement } from '../testkit/requirement.ts';
import { until } from '../testkit/until.ts';
import { starterModels } from './places.ts';
import { freePort, Reader } from './reader.ts';

const models = await starterModels();
const sqlite = await requirement('sqlite3', () => execFileSync('sqlite3', ['--version']).length > 0);
let reader: Reader;
afterAll(() => reader?.close());

/** One platform for these pages: pods from a file, the first look at a problem, a backup, and its restoration. */
test.skipIf(!models.available || !sqlite.available)(
  'docs/guides: pods-yaml.md, troubleshooting.md, backup.md',
  { timeout: 300_000 },
  async () => {
    const port = await freePort();
    reader = new Reader({ environment: { ROUNDHOUSE_PORT: port } });
    models.place(reader.machine());
    models.place(reader.machine(), 'restored');
    await reader.follow('pods-yaml.md', [['5500', port]]);
    await until('the pod of the file serves', async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/models`);
      return (await answer.text()).includes('"small"');
    });
    await reader.follow('troubleshooting.md');
    expect(reader.printed).toContain('the configuration is valid');
    await reader.follow('backup.md');
    expect(reader.printed).toMatch(/^\S+ +admin .*\n/m);
  },
);

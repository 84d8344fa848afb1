import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { networkAddress, starterModels } from './places.ts';
import { freePort, Reader } from './reader.ts';

const models = await starterModels();
let reader: Reader;
afterAll(() => reader?.close());

const page = readFileSync(join(import.meta.dirname, '../../docs/guides/monitoring.md'), 'utf8');
/** The names in the tables of the page; `nodejs_…` stands for those that Node's library adds. */
const listed = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([a-z_0-9]+)`/g)].map(([, name = '']) => name))
  .sort();

interface Scrape {
  authorization: { credentials_file: string };
  static_configs: { targets: string[] }[];
}

test.skipIf(!models.available)(
  'docs/guides/monitoring.md: the scrape example works, and lists every metric',
  { timeout: 200_000 },
  async () => {
    const port = await freePort();
    reader = new Reader({
      environment: { ROUNDHOUSE_PORT: port },
    });
    const machine = reader.machine();
    models.place(machine);
    await reader.follow('monitoring.md', [['10.0.0.1:5500', `${networkAddress()}:${port}`]]);

    const { scrape_configs } = parse(readFileSync(join(machine, 'prometheus.yml'), 'utf8'));
    const [{ authorization, static_configs }] = scrape_configs as [Scrape];
    const key = readFileSync(join(machine, authorization.credentials_file), 'utf8').trim();
    const target = `http://${static_configs[0]?.targets[0]}`;
    const own = await namesAt(`${target}/metrics`, key);
    const pods = await fetch(`${target}/pods-info/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: 'null',
    });
    const [pod] = (await pods.json()) as [{ pod_address: string }];
    const ofPod = await namesAt(`${pod.pod_address}/metrics`);
    const measured = [...new Set([...own, ...ofPod])].filter((name) => !name.startsWith('nodejs_'));
    expect(measured.sort()).toEqual(listed);
  },
);

async function namesAt(url: string, key?: string): Promise<string[]> {
  const answer = await fetch(url, key ? { headers: { authorization: `Bearer ${key}` } } : {});
  expect(answer.status).toBe(200);
  return [...(await answer.text()).matchAll(/^# HELP (\S+)/gm)].map(([, name = '']) => name);
}

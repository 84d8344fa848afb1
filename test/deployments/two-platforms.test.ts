import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PodRecord } from '../../src/contracts/dispatcher/pods.ts';
import type { Job } from '../../src/contracts/management/jobs.ts';
import { writeTinyModel } from '../testkit/models/tiny-model.ts';
import { type RunningPlatform, startPlatform } from '../testkit/platform.ts';
import { describeOnPostgres } from '../testkit/stores/databases.ts';
import { until } from '../testkit/until.ts';

interface Site {
  cwd: string;
  platform: RunningPlatform;
}

describeOnPostgres('two platforms on one database', (databases) => {
  const sites: Site[] = [];
  let url: string;
  beforeEach(async () => {
    url = await databases.create();
  });
  afterEach(async () => {
    for (const { platform, cwd } of sites.splice(0)) {
      await platform.stop();
      rmSync(cwd, { recursive: true, force: true });
    }
  });

  async function open(): Promise<Site> {
    const cwd = mkdtempSync(join(tmpdir(), 'two-platforms-'));
    for (const id of ['tiny-a', 'tiny-b']) storeModel(cwd, id);
    const platform = await startPlatform({ cwd, env: { ROUNDHOUSE_DATABASE_URL: url } });
    const site = { cwd, platform };
    sites.push(site);
    return site;
  }
  const podFolders = ({ cwd }: Site) => {
    const folder = join(cwd, 'data', 'pods');
    return existsSync(folder) ? readdirSync(folder) : [];
  };
  const post = (site: Site, path: string, body?: unknown) =>
    fetch(site.platform.url + path, {
      method: 'POST',
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  const deploy = async (site: Site, model_id: string) => {
    const { id } = (await (await post(site, '/api/v1/deploy/', { model_id })).json()) as Job;
    return until(
      `the deployment of ${model_id}`,
      async () => {
        const job = (await (await fetch(`${site.platform.url}/api/v1/jobs/${id}/status/`)).json()) as Job;
        return ['FINISHED', 'FAILED'].includes(job.status) && job;
      },
      90_000,
    );
  };
  const answers = async (site: Site, model: string) =>
    (await post(site, '/v1/completions', { model, prompt: 'a', max_tokens: 1 })).ok;

  it('each runs its own pods; what one undeploys or replaces, the other stops', async () => {
    const one = await open();
    expect(await deploy(one, 'tiny-a')).toMatchObject({ status: 'FINISHED' });
    const two = await open();
    await until('the second to know the pod', () => answers(two, 'tiny-a'));
    expect(podFolders(two)).toEqual([]);

    // The owner of the pods carries it out, so they do not move.
    expect(await deploy(two, 'tiny-b')).toMatchObject({ status: 'FINISHED' });
    expect(podFolders(two)).toEqual([]);
    await until('the second to know the new pod', () => answers(two, 'tiny-b'));

    const pods = (await (await post(two, '/pods-info/')).json()) as PodRecord[];
    const { pod_address } = pods.find(({ model_name, live }) => live && model_name === 'tiny-b') ?? {};
    expect((await fetch(`${pod_address}/healthz`)).ok).toBe(true);
    expect((await post(two, '/api/v1/deploy/interrupt/')).status).toBe(200);
    await until('the process to be gone', () =>
      fetch(`${pod_address}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    for (const site of [one, two]) {
      await until('it to answer no more', async () => !(await answers(site, 'tiny-b')));
    }
  }, 240_000);
});

/** A model that is here as those of the catalog are. */
function storeModel(cwd: string, id: string): void {
  const folder = join(cwd, 'data', 'models', id);
  mkdirSync(folder, { recursive: true });
  writeTinyModel(join(folder, 'tiny.gguf'), { seed: id.length });
  const { size, mtimeMs } = statSync(join(folder, 'tiny.gguf'));
  const files = [{ path: 'tiny.gguf', size, sha256: '0'.repeat(64), source: 'test', checked: mtimeMs }];
  const about = { id, title: id, task: 'llm', engine: 'llamacpp', licence: 'none', origin: `org/${id}` };
  const manifest = { ...about, pulled_at: new Date().toISOString(), files };
  writeFileSync(join(folder, 'model.json'), JSON.stringify(manifest));
}

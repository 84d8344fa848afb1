import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltTestApp, buildTestApp } from '../../../test/testkit/app.ts';
import { platformActor } from '../../contracts/actor.ts';
import type { AuditEntry, AuditPage } from '../../contracts/management/audit.ts';
import { openModels } from '../../models/open-models.ts';
import { createKey } from '../../platform/auth/keys/create-key.ts';
import { managementService } from '../management-service.ts';

const nowhere = 'http://127.0.0.1:9';
let folder: string;
let test: BuiltTestApp;
let portal: { id: string; key: string };

/** The management API without a work runner. */
async function build(open: boolean): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'audit-'));
  test = await buildTestApp(async (deps) => {
    const models = await openModels({
      ...deps,
      config: {
        data_dir: join(folder, 'data'),
        hub: { endpoint: nowhere, home: join(folder, 'hf') },
        packages: { pypi_index: nowhere, maven_repository: nowhere },
      },
      environment: {},
      engines: ['llamacpp'],
      isDeployed: () => false,
      deployedPaths: async () => [],
    });
    return [managementService({ ...deps, models: models.changes })];
  }, open);
  portal = await createKey(test.deps, platformActor('test'), {
    name: 'портал',
    owner: 'Анна',
    scopes: ['admin'],
    limits: {},
  });
}
beforeEach(() => build(true));
afterEach(async () => {
  await test.close();
  rmSync(folder, { recursive: true, force: true });
});

const call = async (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { payload, key, headers = {} }: { payload?: object; key?: string; headers?: Record<string, string> } = {},
) => {
  const answer = await test.app.inject({
    method,
    url: `/api/v1/${path}`,
    headers: { ...headers, ...(key ? { authorization: `Bearer ${key}` } : {}) },
    ...(payload ? { payload } : {}),
  });
  return { status: answer.statusCode, body: answer.json() };
};
const audit = async (query = ''): Promise<AuditPage> =>
  (await call('GET', `audit${query}`, { key: portal.key })).body;
/** Oldest first, without the key that the test itself created. */
const recorded = async (): Promise<AuditEntry[]> => (await audit()).entries.reverse().slice(1);

async function upload(key?: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob(['{"prompt": "q", "completion": "a"}\n']), 'беседы.jsonl');
  const request = new Request('http://localhost/', { method: 'POST', body: form });
  const { body } = await call('POST', 'datasets/upload/', {
    headers: { 'content-type': request.headers.get('content-type') ?? '' },
    payload: Buffer.from(await request.arrayBuffer()),
    ...(key ? { key } : {}),
  });
  return body.id;
}

describe('every change leaves one entry', () => {
  it('keys: who created and revoked which, never the key itself', async () => {
    const { body: made } = await call('POST', 'keys/', {
      payload: { name: 'гость', owner: 'Олег', scopes: ['inference'], limits: { tokens_per_minute: 5 } },
      key: portal.key,
      headers: { 'x-request-id': 'my-request' },
    });
    await call('DELETE', `keys/${made.id}`, { key: portal.key });
    expect((await call('DELETE', `keys/${made.id}`, { key: portal.key })).status).toBe(409);
    const entries = await recorded();
    const actor = { kind: 'key', id: portal.id, name: 'портал', owner: 'Анна' };
    expect(entries).toMatchObject([
      {
        action: 'key.create',
        subject: made.id,
        actor,
        request_id: 'my-request',
        outcome: 'done',
        details: { name: 'гость', owner: 'Олег', scopes: ['inference'], limits: { tokens_per_minute: 5 } },
      },
      { action: 'key.revoke', subject: made.id, actor, details: { name: 'гость' } },
    ]);
    const stored = JSON.stringify(
      await test.deps.database.query.selectFrom('audit_log').selectAll().execute(),
    );
    expect(stored).not.toContain(made.key);
    expect(stored).not.toContain(made.key.slice(3));
    expect(stored).not.toContain(portal.key.slice(3));
  });

  it('data sets: with a key, and anonymous in open mode; one entry for two concurrent deletions', async () => {
    const first = await upload(portal.key);
    const second = await upload();
    const deletions = await Promise.all([1, 2].map(() => call('DELETE', `datasets/${first}/`)));
    expect(deletions.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await call('DELETE', `datasets/${first}/`)).status).toBe(404);
    expect(await recorded()).toMatchObject([
      { action: 'dataset.upload', subject: first, actor: { name: 'портал' } },
      {
        action: 'dataset.upload',
        subject: second,
        actor: { kind: 'anonymous', id: null, name: null },
        request_id: expect.stringMatching(/^req_/),
        details: { name: 'беседы.jsonl', examples: 1 },
      },
      { action: 'dataset.delete', subject: first, actor: { kind: 'anonymous' } },
    ]);
  });

  it('models: added, imported, removed; no entry for a refused request', async () => {
    const { body: job } = await call('POST', 'models/add/?model_id=org/one', { key: portal.key });
    const source = join(folder, 'stick');
    mkdirSync(source);
    writeFileSync(join(source, 'model.gguf'), '');
    await call('POST', 'models/import/', { payload: { model_id: 'ours', folder: source }, key: portal.key });
    // The same request again joins the job; an import beside it is refused. Neither has an entry.
    const again = await call('POST', 'models/add/?model_id=org/one', { key: portal.key });
    expect(again.body.id).toBe(job.id);
    const beside = { payload: { model_id: 'org/one', folder: source }, key: portal.key };
    expect((await call('POST', 'models/import/', beside)).status).toBe(409);
    expect((await call('POST', 'models/add/?model_id=no%20id')).status).toBe(422);
    expect((await call('DELETE', 'models/org/one')).status).toBe(409);
    await call('POST', `jobs/${job.id}/interrupt/`, { key: portal.key });
    expect((await call('POST', `jobs/${job.id}/interrupt/`)).status).toBe(409);
    expect((await call('DELETE', 'models/org/one')).status).toBe(404);
    expect(await recorded()).toMatchObject([
      {
        action: 'model.add',
        subject: 'org/one',
        actor: { name: 'портал' },
        outcome: 'accepted',
        details: { from: 'hub', job: job.id },
      },
      { action: 'model.import', subject: 'ours', details: { from: 'folder', folder: source } },
      { action: 'job.interrupt', subject: job.id, details: { name: 'DOWNLOAD_org/one' } },
    ]);
  });

  it('models: one entry for two concurrent removals; names of built-in properties', async () => {
    const { saveModel } = await import('../../models/library/models-store.ts');
    for (const id of ['constructor', '__proto__']) {
      writeFileSync(join(folder, id), '');
      await saveModel(test.deps.database, {
        id,
        adapter: false,
        baseModelId: null,
        originModelId: null,
        source: 'folder',
        repository: null,
        revision: null,
        format: 'gguf',
        folder: join(folder, id),
        entry: join(folder, id),
        files: [],
        facts: { license: null, task: 'llm', engines: [], reason: null },
        addedAt: 1,
      });
      const removals = await Promise.all([1, 2].map(() => call('DELETE', `models/${id}`)));
      expect(removals.map(({ status }) => status).sort()).toEqual([200, 404]);
      const { entries } = await audit(`?subject=${id}`);
      expect(entries).toMatchObject([
        { action: 'model.remove', subject: id, details: { source: 'folder' }, outcome: 'done' },
      ]);
    }
  });

  it('no change if the entry can’t be written', async () => {
    const { query } = test.deps.database;
    await query.schema.alterTable('audit_log').renameTo('audit_log_away').execute();
    const payload = { name: 'guest', scopes: ['inference'] };
    expect((await call('POST', 'keys/', { payload, key: portal.key })).status).toBe(500);
    expect((await call('POST', 'models/add/?model_id=org/one')).status).toBe(500);
    await query.schema.alterTable('audit_log_away').renameTo('audit_log').execute();
    expect((await call('GET', 'keys/', { key: portal.key })).body).toHaveLength(1);
    expect((await call('GET', 'jobs/')).body).toEqual([]);
    expect(await recorded()).toEqual([]);
  });
});

describe('GET /api/v1/audit', () => {
  it('200 pages, newest first', async () => {
    const ids = [await upload(), await upload(), await upload()].reverse();
    const first = await audit('?limit=2&action=dataset.upload');
    expect(first.entries.map(({ subject }) => subject)).toEqual(ids.slice(0, 2));
    expect(first.next).toBe(first.entries[1]?.id);
    const second = await audit(`?limit=2&action=dataset.upload&before=${first.next}`);
    expect(second).toMatchObject({ entries: [{ subject: ids[2] }], next: null });
    expect((await audit('?actor=anonymous')).entries).toHaveLength(3);
    expect(await audit('?since=2099-01-01T00:00:00Z')).toEqual({ entries: [], next: null });
    expect(await audit(`?subject=${encodeURIComponent('🚂'.repeat(1000))}`)).toEqual({
      entries: [],
      next: null,
    });
  });

  it('422 invalid queries', async () => {
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'before=0', 'since=yesterday', 'colour=1'])
      expect((await call('GET', `audit?${query}`, { key: portal.key })).status, query).toBe(422);
    const { status, body } = await call('GET', 'audit?action=__proto__', { key: portal.key });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('account.approve')]);
  });

  it('401 without a key, in open mode too; 403 without the admin scope', async () => {
    expect((await call('GET', 'audit')).status).toBe(401);
    await test.close();
    rmSync(folder, { recursive: true, force: true });
    await build(false);
    expect((await call('GET', 'audit')).status).toBe(401);
    const { key } = await createKey(test.deps, platformActor('test'), {
      name: 'caller',
      scopes: ['inference'],
      limits: {},
    });
    expect((await call('GET', 'audit', { key })).status).toBe(403);
    expect((await call('GET', 'audit', { key: portal.key })).body.entries).toHaveLength(2);
  });
});

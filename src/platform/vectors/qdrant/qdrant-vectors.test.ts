import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requirement } from '../../../../test/testkit/requirement.ts';
import { type QdrantServer, qdrantBinary, startQdrant } from '../../../../test/testkit/stores/qdrant.ts';
import { describeVectorStore } from '../../../../test/testkit/stores/vector-store-suite.ts';
import { terms } from '../../../../test/testkit/stores/vectors.ts';
import { openQdrantVectors } from './qdrant-vectors.ts';

const qdrant = await requirement('qdrant', async () => void (await qdrantBinary()));

describe.skipIf(!qdrant.available)('Qdrant', () => {
  let server: QdrantServer;
  beforeAll(async () => {
    server = await startQdrant();
  });
  afterAll(() => server?.stop());

  const open = async () => openQdrantVectors({ url: server.url, api_key: server.apiKey, timeout: 30_000 });

  describeVectorStore('vectors on a Qdrant server', { open, assumedLength: 100 });

  it('keeps the payload for operators, and refuses a collection that is not its own', async () => {
    const store = await open();
    const call = (method: string, path: string, body?: unknown) =>
      fetch(server.url + path, {
        method,
        headers: { 'content-type': 'application/json', 'api-key': server.apiKey ?? '' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    await store.ensure('shown', { dimensions: 3 });
    const payload = { text: 'Зубчатое колесо', page: 4, group: 'not ours' };
    const vector = Float32Array.of(3, 4, 0);
    await store.upsert('shown', [{ id: 5, group: 6, vector, terms: terms(7), payload }]);
    const shown = await call('GET', '/collections/shown/points/5');
    expect(((await shown.json()) as { result: unknown }).result).toMatchObject({
      payload: { ...payload, group: 6 },
      vector: { dense: [expect.closeTo(0.6, 6), expect.closeTo(0.8, 6), 0], terms: { indices: [7] } },
    });
    await store.drop('shown');

    await call('PUT', '/collections/foreign', { vectors: { size: 3, distance: 'Dot' } });
    await expect(store.ensure('foreign', { dimensions: 3 })).rejects.toThrow(/belongs to another program/);
    expect((await store.list()).map(({ name }) => name)).not.toContain('foreign');
    await call('DELETE', '/collections/foreign');
    await store.close();
  });

  it('takes a collection that another process creates at the same time', async () => {
    const stores = await Promise.all([open(), open(), open()]);
    await Promise.all(stores.map((store) => store.ensure('shared', { dimensions: 3 })));
    const vector = Float32Array.of(1, 0, 0);
    await Promise.all(
      stores.map((store, id) => store.upsert('shared', [{ id, group: id, vector, terms: terms(7) }])),
    );
    expect((await stores[0]?.count('shared'))?.size).toBe(3);
    await stores[0]?.drop('shared');
    await Promise.all(stores.map((store) => store.close()));
  });

  it('sends its key, and says that a wrong one is refused', async () => {
    const guarded = await startQdrant({ apiKey: 'the-right-key' });
    const store = openQdrantVectors({ url: `${guarded.url}/`, api_key: 'the-right-key', timeout: 30_000 });
    await store.check();
    const wrong = openQdrantVectors({ url: guarded.url, api_key: 'another-key', timeout: 30_000 });
    await expect(wrong.check()).rejects.toMatchObject({
      name: 'InternalFault',
      message: expect.stringMatching(/check vectors\.api_key$/),
    });
    await guarded.stop();
    await expect(store.count('bot')).rejects.toMatchObject({ name: 'Unavailable', retryAfter: 5 });
    await Promise.all([store.close(), wrong.close()]);
  });
});

describe('a Qdrant server that fails', () => {
  /** Answers with each status in turn, the last one again and again; 0 stays silent. */
  async function failing(statuses: number[], words = 'raft: no leader') {
    const left = [...statuses];
    const server = createServer((_, response) => {
      const status = left.length > 1 ? left.shift() : left[0];
      if (!status) return;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ result: { hits: [] }, status: { error: words } }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { store: openQdrantVectors({ url, timeout: 1_500 }), close: () => server.close() };
  }

  it.each([
    ['passes', [503, 500, 200], 'raft: no leader', { status: 'fulfilled' }],
    ['stays', [503], 'raft: no leader', { status: 'rejected', reason: { name: 'Unavailable' } }],
    ['is silence', [0], '', { status: 'rejected', reason: { name: 'Unavailable' } }],
    ['is a full disk', [500], 'WAL: No space left on device', { reason: { name: 'OutOfSpace' } }],
    ['is a refusal', [400], 'Wrong input: x', { reason: { name: 'InternalFault' } }],
  ])('is reported as what it is: the failure %s', async (_, statuses, words, expected) => {
    const { store, close } = await failing(statuses, words);
    const [outcome] = await Promise.allSettled([store.count('bot')]);
    expect(outcome).toMatchObject(expected);
    if (outcome?.status === 'rejected') expect(outcome.reason.message).not.toContain(words || '?');
    await store.close();
    close();
  });

  it('ends a search when its signal fires', async () => {
    const { store, close } = await failing([0]);
    const reason = new Error('gone');
    const controller = new AbortController();
    const query = { terms: Uint32Array.of(1), limit: 3 };
    const searching = store.search('bot', query, controller.signal);
    setTimeout(() => controller.abort(reason), 50);
    await expect(searching).rejects.toBe(reason);
    close();
  });
});

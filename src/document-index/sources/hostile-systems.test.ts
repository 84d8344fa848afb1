import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestSources } from '../../../test/testkit/sources/open-test-sources.ts';
import { startWebServer } from '../../../test/testkit/sources/web-server.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A server that answers every request in the same way, and the sources that lead to it. */
async function against(listener: RequestListener) {
  const server = await startWebServer(listener);
  const kit = openTestSources({
    allow: [server.entry],
    driveB: { endpoint: server.url, token: 'hunter2' },
    maxItems: 50,
  });
  closers.push(server.close, kit.close);
  return {
    server,
    kit,
    descriptors: [
      { type: 'wiki' as const, url: `${server.url}/display/OPS`, api_key: 'hunter2' },
      { type: 'wiki' as const, url: `${server.url}/pages/viewpage.action?pageId=1`, api_key: 'hunter2' },
      { type: 'portal' as const, url: `${server.url}/community/ops`, login: 'ivanov', password: 'hunter2' },
      { type: 'portal' as const, url: `${server.url}/docs/DOC-1`, login: 'ivanov', password: 'hunter2' },
      { type: 'drive_b' as const, url: 'https://disk.yandex.ru/d/AbCdEf' },
    ],
  };
}

const json =
  (body: unknown): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

describe('systems that are broken or hostile', () => {
  it.each([
    ['nothing', ''],
    ['a page', '<html><title>Maintenance hunter2</title></html>'],
    ['half of an answer', '{"results": ['],
    ['null', 'null'],
    ['another shape', '{"results": {"length": 5}, "list": 7, "type": 3, "__proto__": {"x": 1}}'],
    [
      'names of another type',
      '{"results": [{"id": {}, "title": []}], "list": [{"contentID": []}], "name": 1}',
    ],
  ])('that answer with %s are reported', async (_, body) => {
    const { kit, descriptors } = await against((_request, response) => response.end(body));
    for (const descriptor of descriptors) {
      const error: Error = await kit.list(descriptor).then(
        () => new Error('it was listed'),
        (problem) => problem,
      );
      expect(error, descriptor.url).toMatchObject({ status: expect.any(Number) });
      expect(error.message).not.toContain('hunter2');
    }
  });

  it('whose listings never end are left', async () => {
    let count = 0;
    const { kit, server, descriptors } = await against((request, response) => {
      count++;
      const next = `/rest/api/content?start=${count}`;
      const page = { id: String(count), title: `Page ${count}`, children: { attachment: { results: [] } } };
      const place = {
        placeID: '5',
        name: 'ops',
        resources: { html: { ref: `${server.url}/community/ops` } },
      };
      const content = { contentID: String(count), type: 'document', subject: 'x' };
      const list = request.url?.includes('/places?') ? [place] : [content];
      json({
        ...page,
        results: [page],
        list,
        links: { next: `${server.url}/api/core/v3/contents?startIndex=${count}` },
        _links: { next },
        name: 'folder',
        type: 'dir',
        path: '/',
        _embedded: { items: [{ name: 'same.pdf', type: 'file', path: '/same.pdf' }], total: 1e9 },
      })(request, response);
    });
    for (const descriptor of [descriptors[0], descriptors[1], descriptors[2], descriptors[4]]) {
      if (descriptor)
        await expect(kit.list(descriptor), descriptor.url).rejects.toMatchObject({ status: 422 });
    }
  });

  it('that continue elsewhere get no credentials sent there', async () => {
    const thief = await startWebServer((_, response) => response.end('{}'), { host: '127.0.0.2' });
    closers.push(thief.close);
    const page = { id: '1', title: 'x', children: { attachment: { results: [] } } };
    const { kit, server, descriptors } = await against((request, response) =>
      json({
        ...page,
        results: [page],
        list: [
          {
            placeID: '5',
            name: 'ops',
            contentID: '1',
            type: 'file',
            subject: 'x',
            binaryURL: `${thief.url}/x`,
            resources: { html: { ref: `${server.url}/community/ops` } },
          },
        ],
        contentID: '1',
        type: 'file',
        binaryURL: `${thief.url}/x`,
        links: { next: `${thief.url}/` },
        _links: { next: `${thief.url}/` },
      })(request, response),
    );
    for (const descriptor of descriptors.slice(0, 2)) {
      await expect(kit.list(descriptor), descriptor.url).rejects.toThrow(/another server/);
    }
    expect(await kit.list(descriptors[2] as never)).toMatchObject([
      { id: 'file:1' },
      { id: 'place:5', unlisted: true, problem: expect.stringContaining('another server') },
    ]);
    const item = { id: 'file:1', version: null, name: 'x.pdf', url: server.url, size: null, path: [] };
    await expect(kit.fetch(descriptors[2] as never, item)).rejects.toThrow(/another server/);
    expect(thief.seen).toEqual([]);
  });
});

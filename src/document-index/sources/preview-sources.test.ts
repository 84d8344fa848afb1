import Fastify from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestSources } from '../../../test/testkit/sources/open-test-sources.ts';
import { startWebServer, type WebServer } from '../../../test/testkit/sources/web-server.ts';
import { startWikiServer, type WikiServer } from '../../../test/testkit/sources/wiki-server.ts';
import type { App } from '../../platform/http/service.ts';
import { previewRoutes } from './preview-routes.ts';

let wiki: WikiServer;
let site: WebServer;
let kit: ReturnType<typeof openTestSources>;
let app: App;

beforeAll(async () => {
  const archive = { id: 'att1', title: 'дамп.zip', type: 'application/zip', content: Buffer.from('zip') };
  const pages = [{ id: '1', title: 'Станция', attachments: [archive] }];
  wiki = await startWikiServer({ spaces: { OPS: { name: 'Эксплуатация', pages } } });
  site = await startWebServer((_, response) =>
    response.writeHead(200, { 'content-length': '7' }).end('content'),
  );
  kit = openTestSources({ allow: [wiki.entry, site.entry] });
  app = Fastify()
    .setValidatorCompiler(validatorCompiler)
    .setSerializerCompiler(serializerCompiler) as unknown as App;
  previewRoutes(kit)(app);
});
afterAll(async () => {
  await kit.close();
  await Promise.all([wiki.close(), site.close()]);
});

const preview = (urls: unknown) =>
  app.inject({ method: 'POST', url: '/indexapi/preview', body: { urls } as object });

describe('POST /indexapi/preview', () => {
  it('lists what would be indexed, and what not and why', async () => {
    const response = await preview([
      { type: 'wiki', url: `${wiki.base}/display/OPS`, api_key: 'wiki-token' },
      { type: 'wiki', url: `${wiki.base}/display/OPS/Nothing`, api_key: 'wiki-token' },
      { type: 'wiki', url: `${wiki.base}/display/OPS`, api_key: 'hunter2hunter2' },
      { type: 'direct_link', url: `${site.url}/a.txt?token=hunter2hunter2` },
      { type: 'direct_link', url: 'http://127.0.0.1:5500/metrics' },
    ]);
    expect(response.statusCode).toBe(200);
    const body = response.json();
    expect(body.documents).toEqual([
      { name: 'Станция.pdf', url: expect.stringContaining('/display/OPS/'), bytes: null },
      { name: 'a.txt', url: `${site.url}/a.txt?token=[redacted]`, bytes: 7 },
    ]);
    expect(body.forbidden.map(({ reason }: { reason: string }) => reason)).toEqual([
      expect.stringContaining(".zip can't be read"),
      expect.stringContaining("no page 'Nothing'"),
      expect.stringContaining('token has expired'),
      expect.stringContaining('outgoing.allow'),
    ]);
    expect(response.body).not.toContain('hunter2');
  });

  it('takes one descriptor, and refuses what is none', async () => {
    const one = await preview({ type: 'direct_link', url: `${site.url}/b.txt` });
    expect(one.json().documents).toHaveLength(1);
    expect((await preview([])).statusCode).toBe(400);
    expect((await preview({ type: 'constructor', url: site.url })).statusCode).toBe(400);
  });
});

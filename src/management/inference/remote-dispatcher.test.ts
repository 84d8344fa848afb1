import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { buildTestApp } from '../../../test/testkit/app.ts';
import { selfSigned } from '../../../test/testkit/certificate.ts';
import { startMockPod } from '../../../test/testkit/mock-pod.ts';
import { RawCaller } from '../../../test/testkit/raw-caller.ts';
import { silentLogger } from '../../platform/telemetry/logger.ts';
import { RemoteDispatcher } from './remote-dispatcher.ts';
import { addInferenceRoutes } from './routes.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** Starts the inference routes of management in front of a dispatcher; returns where they listen. */
async function startManagement(dispatcherUrl: string): Promise<string> {
  const remote = new RemoteDispatcher({ url: dispatcherUrl, key: undefined, logger: silentLogger() });
  const { app, close } = await buildTestApp(() => [
    {
      name: 'inference',
      title: 'inference',
      description: 'inference',
      access: { scope: 'inference', openable: true },
      surfaces: [{ prefix: '/v1', shape: 'openai' }],
      async routes(app) {
        for (const prefix of ['', '/inference', '/api']) {
          await addInferenceRoutes(app, prefix, ['/v1/completions'], remote);
        }
      },
    },
  ]);
  opened.push(() => remote.close(), close);
  return app.listen({ host: '127.0.0.1', port: 0 });
}

it('sends requests to the dispatcher only, whatever host their targets name', async () => {
  const [dispatcher, elsewhere] = [
    await startMockPod((_request, response) => void response.end('{}')),
    await startMockPod(),
  ];
  opened.push(dispatcher.kill, elsewhere.kill);
  const url = await startManagement(dispatcher.url);
  const targets = [
    `${elsewhere.url}/v1/completions`,
    `//127.0.0.1:${elsewhere.port}/v1/completions`,
    '/v1/completions',
  ];
  for (const target of targets) {
    const caller = new RawCaller(url);
    caller.send(`POST ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`);
    expect([200, 404]).toContain((await caller.answer())?.status);
    caller.destroy();
  }
  expect(elsewhere.requests).toEqual([]);
  expect(dispatcher.requests.map(({ path }) => path)).toContain('/v1/completions/');
});

it('reaches a dispatcher over https', async () => {
  const tls = selfSigned();
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, tls.cert]);
  opened.push(() => setDefaultCACertificates(trusted));
  const dispatcher = createServer(tls, (request, response) => response.end(request.url)).listen(
    0,
    '127.0.0.1',
  );
  opened.push(() => dispatcher.close().closeAllConnections());
  await once(dispatcher, 'listening');
  const url = await startManagement(`https://localhost:${(dispatcher.address() as AddressInfo).port}`);
  const response = await fetch(`${url}/inference/v1/completions`, { method: 'POST', body: '{}' });
  expect([response.status, await response.text()]).toEqual([200, '/inference/v1/completions/']);
});

it.each([
  ['/inference', { error: { message: 'the dispatcher does not answer', code: 'service_unavailable' } }],
  ['/api', { detail: 'the dispatcher does not answer' }],
])('503 in the error shape of %s while the dispatcher is down', async (prefix, body) => {
  const dispatcher = await startMockPod();
  await dispatcher.kill();
  const url = await startManagement(dispatcher.url);
  for (const sent of ['{}', undefined]) {
    const response = await fetch(`${url}${prefix}/v1/completions`, { method: 'POST', body: sent ?? null });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await response.json()).toMatchObject(body);
  }
});

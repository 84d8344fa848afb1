import { afterEach, expect, it } from 'vitest';
import { buildTestApp } from '../../../test/testkit/app.ts';
import { startMockPod } from '../../../test/testkit/mock-pod.ts';
import { RawCaller } from '../../../test/testkit/raw-caller.ts';
import { silentLogger } from '../../platform/telemetry/logger.ts';
import { RemoteDispatcher } from './remote-dispatcher.ts';
import { addInferenceRoutes } from './routes.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

it('sends requests to the dispatcher alone, whatever host their targets name', async () => {
  const [dispatcher, elsewhere] = [
    await startMockPod((_request, response) => void response.end('{}')),
    await startMockPod(),
  ];
  const remote = new RemoteDispatcher({ url: dispatcher.url, key: undefined, logger: silentLogger() });
  const { app, close } = await buildTestApp(() => [
    {
      name: 'inference',
      title: 'inference',
      description: 'inference',
      access: { scope: 'inference', openable: true },
      surfaces: [{ prefix: '/v1', shape: 'openai' }],
      routes: (app) => addInferenceRoutes(app, '', ['/v1/completions'], remote),
    },
  ]);
  opened.push(dispatcher.kill, elsewhere.kill, () => remote.close(), close);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
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

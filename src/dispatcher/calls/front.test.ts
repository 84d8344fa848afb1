import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type MockPod, startMockPod } from '../../../test/testkit/mock-pod.ts';
import { RawCaller, rawPost } from '../../../test/testkit/raw-caller.ts';
import { until } from '../../../test/testkit/until.ts';
import { systemClock } from '../../contracts/clock.ts';
import { PodInfo } from '../../contracts/dispatcher/pods.ts';
import { resolveConfig } from '../../platform/config/resolve-config.ts';
import { ConfigInput } from '../../platform/config/schema.ts';
import { silentLogger } from '../../platform/telemetry/logger.ts';
import { tracingOff } from '../../platform/telemetry/tracing.ts';
import { frontedServer } from '../fronted-server.ts';
import { PodRegistry } from '../pods/registry.ts';
import { PrefixIndex } from '../routing/prefix-index.ts';
import type { Gate, ProxyContext } from './context.ts';
import { createProxy, proxySettings } from './create-proxy.ts';
import { createFront } from './front.ts';
import { ownSurface } from './surface.ts';

const body = JSON.stringify({ model: 'mock', messages: [] });
let pod: MockPod;
let proxy: ProxyContext;
let server: Server;
let url: string;
const observe = vi.fn<ProxyContext['observe']>();
let admit: () => void;
let identified: Promise<{ id: string }>;
const settle = vi.fn();
const gate = {
  identify: vi.fn<Gate['identify']>(() => identified),
  enter: vi.fn<Gate['enter']>(() => ({ settle })),
};

beforeEach(async () => {
  pod = await startMockPod();
  const { config } = resolveConfig(ConfigInput.parse({}), '/');
  const registry = new PodRegistry({ ttl: 60_000, clock: systemClock });
  const report = PodInfo.parse({ task: 'llm', model_name: 'mock', pod_address: pod.url });
  registry.report({ ...report, pod_id: 'p' });
  vi.clearAllMocks();
  proxy = createProxy({
    config,
    settings: proxySettings(config, '/'),
    registry,
    prefixes: PrefixIndex.withRoomFor(8),
    clock: systemClock,
    logger: silentLogger(),
    tracing: tracingOff,
    observe,
  });
  identified = new Promise((resolve) => {
    admit = () => resolve({ id: 'somebody' });
  });
  server = frontedServer(createFront(proxy, [{ ...ownSurface, gate }]), (_request, response) => {
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  proxy.close();
  await pod.kill();
});

it.each([
  ['an ordinary request', []],
  ['one that Node reads', ['connection: close']],
])('asks no pod for a caller that left before it was known who it is: %s', async (_title, headers) => {
  const caller = new RawCaller(url).send(rawPost('/v1/chat/completions', body, headers));
  await until('it is asked who calls', () => gate.identify.mock.calls.length === 1);
  caller.destroy();
  await until('the request is over', () => observe.mock.calls.length === 1);
  admit();
  // A second one, once it is served, shows that the first has had its time.
  const other = new RawCaller(url).send(rawPost('/v1/chat/completions', body, headers));
  expect((await other.answer())?.status).toBe(200);
  other.destroy();
  expect(pod.requests).toHaveLength(1);
  expect(gate.enter).toHaveBeenCalledTimes(1);
  await until('both are counted', () => settle.mock.calls.length === 1);
});

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RawCaller, rawPost } from '../../../test/testkit/attacks/raw-caller.ts';
import { configWith } from '../../../test/testkit/config.ts';
import { chatEvent, type MockPod, startMockPod } from '../../../test/testkit/pods/mock-pod.ts';
import { until } from '../../../test/testkit/until.ts';
import { systemClock } from '../../contracts/clock.ts';
import { PodInfo } from '../../contracts/dispatcher/pods.ts';
import { AnswerTail } from '../../platform/inference/streams/answer-tail.ts';
import { silentLogger } from '../../platform/telemetry/logger.ts';
import { tracingOff } from '../../platform/telemetry/tracing/tracing.ts';
import { frontedServer } from '../fronted-server.ts';
import { PodRegistry } from '../pods/registry.ts';
import { PrefixIndex } from '../routing/prefix-index.ts';
import type { Gate } from './admission/gate.ts';
import { ownSurface } from './admission/surface.ts';
import { createProxy, proxySettings } from './create-proxy.ts';
import type { ProxyContext } from './exchange/context.ts';
import type { FinishedRequest } from './exchange/finished-request.ts';
import { createFront } from './front.ts';

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
  begin: vi.fn<Gate['begin']>(() => ({ settle: () => undefined })),
  enter: vi.fn<Gate['enter']>(() => ({ settle })),
};

beforeEach(async () => {
  pod = await startMockPod();
  const config = configWith({}, '/');
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
  const front = createFront(proxy);
  front.add({ ...ownSurface, gate });
  server = frontedServer(front, (_request, response) => {
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

const request = rawPost('/v1/chat/completions', body);
const answerTo = async (text: Buffer) => {
  const caller = new RawCaller(url).send(text);
  const answer = await caller.answer();
  caller.destroy();
  return answer;
};

it('tells observers once, with a record that nobody can change', async () => {
  admit();
  expect((await answerTo(request))?.status).toBe(200);
  await until('it is counted', () => observe.mock.calls.length === 1);
  const record = observe.mock.calls[0]?.[0] as FinishedRequest;
  expect(record).toMatchObject({
    path: '/v1/chat/completions',
    model: 'mock',
    key: 'somebody',
    pod: 'p',
    status: 200,
    failure: '',
    usage: { promptTokens: 12, completionTokens: 3 },
  });
  expect(Object.isFrozen(record) && Object.isFrozen(record.usage)).toBe(true);
  expect(() => Object.assign(record, { status: 500 })).toThrow(TypeError);
  expect(settle.mock.calls).toEqual([[{ tokens: 15 }]]);
});

it('what throws while the pod answers ends that request alone', async () => {
  admit();
  const broken = vi.spyOn(AnswerTail.prototype, 'add').mockImplementation(() => {
    throw new Error('broken');
  });
  const caller = new RawCaller(url).send(request);
  await until('the request is over', () => observe.mock.calls.length === 1);
  expect(observe.mock.calls[0]?.[0]).toMatchObject({ failure: 'internal_error', pod: 'p' });
  expect(settle).toHaveBeenCalledTimes(1);
  broken.mockRestore();
  caller.destroy();
  expect((await answerTo(request))?.status).toBe(200);
});

it('500 where the limits throw, at once or later', async () => {
  admit();
  gate.enter.mockImplementationOnce(() => {
    throw new Error('broken');
  });
  expect((await answerTo(request))?.status).toBe(500);
  gate.enter.mockImplementationOnce(() => Promise.reject(new Error('broken')));
  expect((await answerTo(request))?.status).toBe(500);
  gate.enter.mockImplementationOnce(() => Promise.resolve({ settle }));
  expect((await answerTo(request))?.status).toBe(200);
  expect(pod.requests).toHaveLength(1);
});

it('asks no pod for a caller that left while its limits were asked for, and gives its place back', async () => {
  admit();
  let enter: (entrance: { settle: typeof settle }) => void = () => undefined;
  gate.enter.mockImplementationOnce(() => new Promise((resolve) => (enter = resolve)));
  const caller = new RawCaller(url).send(request);
  await until('its limits are asked for', () => gate.enter.mock.calls.length === 1);
  caller.destroy();
  await until('the request is over', () => observe.mock.calls.length === 1);
  enter({ settle });
  await until('its place is given back', () => settle.mock.calls.length === 1);
  expect(settle).toHaveBeenCalledWith({});
  expect(pod.requests).toEqual([]);
});

it('charges a caller that leaves in the middle for the prompt and what was written so far', async () => {
  admit();
  pod.answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const word of ['one', 'two', 'three']) response.write(chatEvent(word));
  };
  const stream = JSON.stringify({
    model: 'mock',
    stream: true,
    messages: [{ role: 'user', content: 'x'.repeat(400) }],
  });
  const caller = new RawCaller(url).send(rawPost('/v1/chat/completions', stream));
  await until('the answer has begun', () => caller.received.includes('three'));
  caller.destroy();
  await until('the request is over', () => observe.mock.calls.length === 1);
  const usage = observe.mock.calls[0]?.[0].usage;
  expect(usage?.completionTokens).toBe(3);
  expect(usage?.promptTokens).toBeGreaterThanOrEqual(100);
  expect(settle).toHaveBeenCalledWith({ tokens: (usage?.promptTokens ?? 0) + 3 });
});

it('charges a caller that leaves before the first byte for the prompt', async () => {
  admit();
  pod.answer = () => undefined;
  const caller = new RawCaller(url).send(request);
  await until('the pod has it', () => pod.requests.length === 1);
  caller.destroy();
  await until('the request is over', () => observe.mock.calls.length === 1);
  expect(observe.mock.calls[0]?.[0]).toMatchObject({ failure: 'client_gone', status: 499 });
  expect(observe.mock.calls[0]?.[0].usage?.promptTokens).toBeGreaterThan(0);
});

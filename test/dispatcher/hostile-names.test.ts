import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixedSlots } from '../../src/contracts/management/deployments.ts';
import { startDispatcher } from '../testkit/dispatcher.ts';
import { type RunningPlatform, startPlatform } from '../testkit/platform.ts';
import { startMockPod } from '../testkit/pods/mock-pod.ts';

const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
const surfaces = ['', '/api', '/inference', ...fixedSlots.map((slot) => `/api/${slot}`)];
const bodies: readonly [path: string, body: Record<string, unknown>][] = [
  ['/v1/chat/completions', { messages: [] }],
  ['/v1/completions', { prompt: 'Hi' }],
  ['/v1/embeddings', { input: 'Hi' }],
  ['/v1/rerank', { query: 'Hi', documents: ['Hi'] }],
  ['/v1/audio/speech', { input: 'Hi' }],
];

function requestOf(model: string, body: Record<string, unknown>): RequestInit {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', headers, body: JSON.stringify({ model, ...body }) };
}

/** In one piece: the answer may come before a form that is sent in pieces is complete. */
async function formOf(model: string): Promise<RequestInit> {
  const form = new FormData();
  form.append('model', model);
  form.append('file', new Blob(['sound']), 'speech.wav');
  const whole = new Response(form);
  return { method: 'POST', headers: whole.headers, body: Buffer.from(await whole.arrayBuffer()) };
}

describe('a model named like a property of every object', () => {
  let platform: RunningPlatform;

  beforeAll(async () => {
    platform = await startPlatform({ args: ['--only', 'dispatcher,management'] });
  });
  afterAll(async () => {
    expect(await platform.stop()).toBe(0);
  });

  describe.each(surfaces)('on the surface "%s"', (prefix) => {
    it.each(names)('404 for %s at every endpoint', async (name) => {
      for (const [path, body] of bodies) {
        const response = await fetch(platform.url + prefix + path, requestOf(name, body));
        expect(response.status, path).toBe(404);
        await response.text();
      }
      const response = await fetch(`${platform.url}${prefix}/v1/audio/transcriptions`, await formOf(name));
      expect(response.status).toBe(404);
      await response.text();
    });
  });
});

it.each(names)('a pod may call its model %s', async (name) => {
  const dispatcher = await startDispatcher();
  const pod = await startMockPod();
  expect((await dispatcher.chat({ model: name })).status).toBe(404);
  await dispatcher.report({ pod_id: name, model_name: name, pod_address: pod.url });
  expect((await dispatcher.chat({ model: name })).status).toBe(200);
  expect(await dispatcher.metrics()).toContain(`model="${name}"`);
  await dispatcher.close();
  await pod.kill();
});

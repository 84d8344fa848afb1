import { afterEach, expect, it } from 'vitest';
import { type ScriptedPod, startScriptedPod } from '../../../test/testkit/pods/scripted-pod.ts';

let pod: ScriptedPod | undefined;
afterEach(() => pod?.close());
const get = async (path: string, headers: Record<string, string> = {}) =>
  (await fetch(`${pod?.address}${path}`, { headers })).status;

it('with a secret, serves only whoever sends it; its health can be asked by all', async () => {
  pod = await startScriptedPod('a-long-secret');
  expect(await get('/v1/models')).toBe(401);
  expect(await get('/v1/models', { authorization: 'Bearer something-else' })).toBe(401);
  expect(await get('/v1/models', { authorization: 'Bearer a-long-secret' })).toBe(200);
  const load = await fetch(`${pod.address}/v1/load_lora_adapter`, { method: 'POST' });
  expect(load.status).toBe(401);
  expect(await get('/health')).toBe(200);
});

it('without a secret, serves everybody but foreign web pages', async () => {
  pod = await startScriptedPod();
  expect(await get('/v1/models')).toBe(200);
  const headers = { origin: 'https://evil.example', 'content-type': 'application/json' };
  const chat = await fetch(`${pod.address}/v1/chat/completions`, { method: 'POST', headers, body: '{}' });
  expect(chat.status).toBe(403);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawCaller, rawPost } from '../testkit/attacks/raw-caller.ts';
import { type RunningPlatform, startPlatform } from '../testkit/platform.ts';

/** What a page on another web site, or one whose name was rebound to this machine, makes a browser send. */
const foreign: [string, string, string[]][] = [
  ['a rebound name', 'evil.example', []],
  ['a foreign origin', 'localhost', ['origin: https://evil.example']],
  ['a cross-site request', 'localhost', ['sec-fetch-site: cross-site']],
];
const paths = ['/v1/chat/completions', '/v1/audio/transcriptions', '/pods-info/', '/api/v1/keys/'];

describe.each([1, 2])('open on loopback, with %i workers', (workers) => {
  let platform: RunningPlatform;
  beforeAll(async () => {
    platform = await startPlatform({
      args: ['--only', 'dispatcher,management'],
      env: {
        ROUNDHOUSE_DISPATCHER_WORKERS: String(workers),
        ROUNDHOUSE_HTTP_CORS_ORIGINS: 'https://friend.example',
      },
    });
  });
  afterAll(() => platform.stop());

  async function send(path: string, host: string, headers: string[]) {
    const text = rawPost(path, '{}', headers).toString().replace('host: localhost', `host: ${host}`);
    const caller = new RawCaller(platform.url).send(text);
    const answer = await caller.answer();
    caller.destroy();
    return { status: answer?.status, headers: answer?.headers, body: JSON.parse(String(answer?.body)) };
  }

  describe.each(paths)('POST %s', (path) => {
    it.each(foreign)('403 for %s', async (_title, host, headers) => {
      // The second of each pair is read by Node's own server.
      for (const more of [headers, ['connection: close', ...headers]]) {
        const answer = await send(path, host, more);
        expect(answer.status).toBe(403);
        expect(answer.headers?.has('x-request-id')).toBe(true);
        expect(Object.keys(answer.body)).toEqual([path.startsWith('/api') ? 'detail' : 'error']);
      }
    });

    it('serves programs, its own pages and allowed origins', async () => {
      const { host } = new URL(platform.url);
      for (const headers of [[], [`origin: http://${host}`], ['origin: https://friend.example']])
        expect((await send(path, host, headers)).status).not.toBe(403);
    });
  });
});

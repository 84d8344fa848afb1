import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { UpstreamEngine } from '../../engine.ts';
import { attachOpenai } from './attach-openai.ts';

const open: (Server | UpstreamEngine)[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const models = {
  object: 'list',
  data: [
    { id: 'base', parent: null, max_model_len: 2048 },
    { id: 'gruff', parent: 'base' },
  ],
};

function serve(port: number, key?: string): Promise<Server> {
  const server = createServer((request, response) => {
    const known = key === undefined || request.headers.authorization === `Bearer ${key}`;
    response.setHeader('connection', 'close');
    response.statusCode = !known ? 401 : request.url === '/v1/models' ? 200 : 404;
    response.end(JSON.stringify(models));
  });
  open.push(server);
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function attach(options: Parameters<typeof attachOpenai>[0]): Promise<UpstreamEngine> {
  const engine = await attachOpenai({ timing: { watch: 20 }, ...options });
  open.push(engine);
  return engine;
}

describe('the openai engine', () => {
  test('knows the models of the server, with the key it was given', async () => {
    const server = await serve(0, 'sesame');
    const engine = await attach({ baseUrl: `http://127.0.0.1:${portOf(server)}/v1/`, key: 'sesame' });
    expect(engine.facts).toEqual({ engine: 'openai', contextLength: 2048 });
    expect(engine.adapters()).toEqual(['gruff']);
    expect([engine.upstreamModel('mine'), engine.upstreamModel('gruff')]).toEqual(['base', 'gruff']);
    await engine.loadAdapter('gruff', '/anywhere');
    await expect(engine.unloadAdapter('gruff')).rejects.toMatchObject({ status: 400 });
    await expect(engine.unloadAdapter('other')).rejects.toMatchObject({ status: 404 });
  });

  test('waits for a server that is temporarily unreachable', async () => {
    const server = await serve(0);
    const port = portOf(server);
    const engine = await attach({ baseUrl: `http://127.0.0.1:${port}` });
    expect(engine.state().ready).toBe(true);
    await new Promise((resolve) => server.close(resolve));
    await expect
      .poll(() => engine.state())
      .toMatchObject({
        ready: false,
        text: 'the server does not respond',
      });
    await serve(port);
    await expect.poll(() => engine.state().ready).toBe(true);
  });

  test('reports a wrong key without revealing it', async () => {
    const server = await serve(0, 'sesame');
    const refused = attach({ baseUrl: `http://127.0.0.1:${portOf(server)}`, key: 'mistaken' });
    await expect(refused).rejects.toThrow(/rejects the key/);
    await expect(refused).rejects.not.toThrow(/mistaken/);
  });
});

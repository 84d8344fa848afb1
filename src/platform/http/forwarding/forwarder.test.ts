import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createRawServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { RawCaller, rawPost } from '../../../../test/testkit/attacks/raw-caller.ts';
import { selfSigned } from '../../../../test/testkit/machine/certificate.ts';
import { until, untilStill } from '../../../../test/testkit/until.ts';
import type { ErrorShape } from '../../../contracts/surfaces.ts';
import { addressOf, type ServerAddress } from '../../wire/open-socket.ts';
import { Forwarder } from './forwarder.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function listen(server: Server, where: ListenOptions = { host: '127.0.0.1', port: 0 }): Promise<URL> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(where);
  await once(server, 'listening');
  opened.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
}

/** Starts a server that forwards everything to the target, and a caller that is connected to it. */
async function startForwarding(target: ServerAddress, shape: ErrorShape = 'openai') {
  const forwarder = new Forwarder({ target, name: 'the target' });
  const server = createServer((request, response) =>
    forwarder.forward(request, response, request.url ?? '/', shape),
  );
  const accepted: Socket[] = [];
  server.on('connection', (socket) => accepted.push(socket));
  const url = await listen(server);
  const caller = new RawCaller(url.href);
  opened.push(
    () => forwarder.close(),
    () => caller.destroy(),
  );
  return { url, caller, accepted };
}

/** Forwards to a server with this listener. */
async function forwardTo(listener: RequestListener) {
  const target = await listen(createServer(listener));
  return { target, ...(await startForwarding(addressOf(target))) };
}

/** Answers with what was received. */
const echo: RequestListener = async (request, response) => {
  const body = await buffer(request);
  const { method, url, rawHeaders, headers } = request;
  const seen = { method, url, rawHeaders, headers, body: body.toString('latin1') };
  response.writeHead(200, ['X-Spelled', 'As Sent', 'set-cookie', 'a=1', 'set-cookie', 'b=2']);
  response.end(JSON.stringify(seen));
};
interface Echoed extends Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders' | 'headers'> {
  body: string;
}
const echoed = async (caller: RawCaller): Promise<Echoed> =>
  JSON.parse((await caller.answer())?.body.toString() ?? '');
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('Forwarder', () => {
  it('forwards method, path, headers and a body of known length', async () => {
    const { caller, target } = await forwardTo(echo);
    caller.send('PUT /a//b?c=%20d HTTP/1.1\r\nHost: x\r\nX-Mixed: Case\r\ncontent-length: 5\r\n\r\nhello');
    const answer = await caller.answer();
    expect(answer?.head).toContain('X-Spelled: As Sent\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n');
    const seen = JSON.parse(answer?.body.toString() ?? '') as Echoed;
    expect(seen).toMatchObject({ method: 'PUT', url: '/a//b?c=%20d', body: 'hello' });
    expect(seen.rawHeaders).toEqual(expect.arrayContaining(['X-Mixed', 'Case', 'host', target.host]));
    expect(seen.headers['content-length']).toBe('5');
  });

  it.each(['GET', 'POST', 'DELETE'])('forwards a %s without a body', async (method) => {
    const { caller } = await forwardTo(echo);
    caller.send(`${method} / HTTP/1.1\r\nhost: x\r\n\r\n`);
    const { headers, body } = await echoed(caller);
    expect(body).toBe('');
    expect(headers['transfer-encoding']).toBeUndefined();
  });

  it('forwards the head alone for HEAD', async () => {
    const { caller } = await forwardTo((_request, response) =>
      response.writeHead(200, { 'content-length': 1000 }).end(),
    );
    caller.send('HEAD / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    await caller.closed;
    expect(caller.received.toString()).toMatch(/content-length: 1000\r\n(.+\r\n)*\r\n$/);
  });

  it.each(['GET', 'POST'])('forwards a chunked body of a %s', async (method) => {
    const { caller } = await forwardTo(echo);
    const head = `${method} / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`;
    await caller.sendSlowly([head, '5\r\nhello\r\n', '1;x=y\r\n!\r\n', '0\r\n\r\n']);
    const seen = await echoed(caller);
    expect(seen.body).toBe('hello!');
    expect(seen.headers['transfer-encoding']).toBe('chunked');
  });

  it('keeps hop-by-hop headers to itself, in both directions', async () => {
    const { caller } = await forwardTo((request, response) => {
      response.setHeader('connection', 'close, x-hop');
      response.setHeader('x-hop', 'answer');
      response.setHeader('keep-alive', 'timeout=1');
      return echo(request, response);
    });
    const own =
      'connection: keep-alive, X-Hop, content-length\r\nx-hop: 1\r\nte: trailers\r\nkeep-alive: 5\r\n';
    const more = 'upgrade: h2c\r\nproxy-authorization: secret\r\nexpect: 100-continue\r\nx-end: 1\r\n';
    caller.send(`POST / HTTP/1.1\r\nhost: x\r\n${own}${more}content-length: 2\r\n\r\n{}`);
    expect((await caller.answer())?.status).toBe(100);
    const answer = await caller.answer();
    const { headers, body } = JSON.parse(answer?.body.toString() ?? '') as Echoed;
    expect(body).toBe('{}');
    expect(headers).toMatchObject({ 'x-end': '1', 'content-length': '2' });
    for (const name of ['x-hop', 'te', 'keep-alive', 'upgrade', 'proxy-authorization', 'expect']) {
      expect(headers).not.toHaveProperty(name);
    }
    expect(answer?.headers.has('x-hop')).toBe(false);
    // The target's wish to close concerns its own connection only.
    caller.send(rawPost('/', '{}'));
    expect((await caller.answer())?.status).toBe(200);
  });

  it('sends a response without a length to an HTTP/1.0 caller until it closes', async () => {
    const { caller } = await forwardTo((_request, response) => {
      response.write('one ');
      response.end('two');
    });
    caller.send('GET / HTTP/1.0\r\n\r\n');
    await caller.closed;
    expect(caller.received.toString()).toMatch(/\r\n\r\none two$/);
  });

  it('sends the head of a stream before its first byte', async () => {
    const { url } = await forwardTo((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    });
    const stop = new AbortController();
    const response = await fetch(url, { signal: stop.signal });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    stop.abort();
  });

  it('reuses its connections', async () => {
    const ports = new Set<number | undefined>();
    const { caller } = await forwardTo((request, response) => {
      ports.add(request.socket.remotePort);
      return echo(request, response);
    });
    for (let n = 0; n < 5; n++) {
      caller.send(rawPost('/', '{}'));
      expect((await caller.answer())?.status).toBe(200);
    }
    expect(ports.size).toBe(1);
  });

  it('ignores the host that a request names', async () => {
    const { caller, target } = await forwardTo(echo);
    const elsewhere = await listen(createServer(() => expect.unreachable()));
    caller.send(`GET ${elsewhere}path HTTP/1.1\r\nhost: ${elsewhere.host}\r\n\r\n`);
    expect(await echoed(caller)).toMatchObject({ url: `${elsewhere}path`, headers: { host: target.host } });
    caller.send(`GET //${elsewhere.host}/path HTTP/1.1\r\nhost: x\r\n\r\n`);
    expect(await echoed(caller)).toMatchObject({ url: `//${elsewhere.host}/path` });
  });

  it('reaches a Unix socket, which sees the host that the caller named', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forward-'));
    opened.push(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'socket');
    await listen(createServer(echo), { path });
    const { caller } = await startForwarding({ path });
    caller.send(rawPost('/here', 'hello', ['connection: close']));
    expect(await echoed(caller)).toMatchObject({
      url: '/here',
      headers: { host: 'localhost' },
      body: 'hello',
    });
  });

  it('reaches an https target that it trusts, and no other', async () => {
    const tls = selfSigned();
    const { port } = await listen(createSecureServer(tls, echo));
    const target = addressOf(new URL(`https://localhost:${port}`));
    const trusting = await startForwarding({ ...target, ca: tls.cert });
    for (let n = 0; n < 2; n++) {
      trusting.caller.send(rawPost('/secure', 'hello'));
      expect(await echoed(trusting.caller)).toMatchObject({ url: '/secure', body: 'hello' });
    }
    const doubting = await startForwarding({ ...target, ca: selfSigned().cert });
    doubting.caller.send(rawPost('/secure', 'hello'));
    expect((await doubting.caller.answer())?.status).toBe(503);
  });

  it.each<[ErrorShape, unknown]>([
    ['openai', { error: { message: 'the target does not answer', code: 'service_unavailable' } }],
    ['management', { detail: 'the target does not answer' }],
  ])('503 in the %s shape if the target is down', async (shape, body) => {
    const gone = createServer();
    const { port } = await listen(gone);
    await new Promise((resolve) => gone.close(resolve));
    const { caller } = await startForwarding(addressOf(new URL(`http://127.0.0.1:${port}`)), shape);
    for (const request of [rawPost('/', randomBytes(3_000_000), ['x-request-id: mine']), rawPost('/', '')]) {
      caller.send(request);
      const answer = await caller.answer();
      expect(answer?.status).toBe(503);
      expect(answer?.headers.get('retry-after')).toBe('5');
      expect(answer?.headers.get('x-request-id')).toBeTruthy();
      expect(JSON.parse(answer?.body.toString() ?? '')).toMatchObject(body as object);
    }
  });

  it('502 if the target does not speak HTTP', async () => {
    const target = await listen(createRawServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')));
    const { caller } = await startForwarding(addressOf(target));
    caller.send(rawPost('/', '{}'));
    const answer = await caller.answer();
    expect(answer?.status).toBe(502);
    expect(JSON.parse(answer?.body.toString() ?? '')).toMatchObject({ error: { code: 'upstream_error' } });
  });

  it.each(['content-length: 100', 'transfer-encoding: chunked'])(
    'cuts the connection if the target dies in the middle of a response with %s',
    async (framing) => {
      const piece = framing.startsWith('content') ? 'half' : '4\r\nhalf\r\n';
      const target = await listen(
        createRawServer((socket) =>
          socket.once('data', () => {
            socket.write(`HTTP/1.1 200 OK\r\n${framing}\r\n\r\n${piece}`);
            setImmediate(() => socket.destroy());
          }),
        ),
      );
      const { caller } = await startForwarding(addressOf(target));
      caller.send(rawPost('/', '{}'));
      expect(await caller.answer()).toBeUndefined();
      expect(caller.received.toString()).toContain('half');
      expect(caller.isClosed).toBe(true);
    },
  );

  it.each([
    ['while it sends', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nhalf'],
    ['while it waits', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nhalf'],
  ])('aborts the inner request if the caller leaves %s', async (_title, request) => {
    let [begun, aborted] = [false, false];
    const { caller } = await forwardTo((received, response) => {
      begun = true;
      received.on('error', () => undefined).resume();
      response.on('close', () => {
        aborted = true;
      });
    });
    caller.send(request);
    await until('the request reaches the target', () => begun);
    caller.destroy();
    await until('the target sees the abort', () => aborted);
  });

  it('aborts the inner request if the caller leaves in the middle of a response', async () => {
    let aborted = false;
    const { caller } = await forwardTo((_request, response) => {
      response.write('half');
      response.on('close', () => {
        aborted = true;
      });
    });
    caller.send(rawPost('/', '{}'));
    await until('the response begins', () => caller.received.includes('half'));
    caller.destroy();
    await until('the target sees the abort', () => aborted);
  });

  it('lets a caller finish sending after an early response', async () => {
    const { caller } = await forwardTo((_request, response) => {
      response.writeHead(413, { connection: 'close' }).end('too large');
    });
    caller.send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9000000\r\n\r\n');
    expect((await caller.answer())?.status).toBe(413);
    caller.send(Buffer.alloc(9_000_000), rawPost('/', '{}'));
    expect((await caller.answer())?.status).toBe(413);
  });

  it('reads no more of a request than the target takes', async () => {
    let received: IncomingMessage | undefined;
    const body = randomBytes(60_000_000);
    const { caller, accepted } = await forwardTo(async (request, response) => {
      received = request;
      await once(request, 'go on');
      response.end(hash(await buffer(request)));
    });
    caller.send(rawPost('/', body));
    await until('the target has the request', () => received);
    await untilStill('the caller is held back', () => accepted[0]?.bytesRead ?? 0);
    expect(accepted[0]?.bytesRead).toBeLessThan(body.length);
    received?.emit('go on');
    expect((await caller.answer())?.body.toString()).toBe(hash(body));
  });

  it('reads no more of a response than the caller takes', async () => {
    let written = 0;
    const piece = randomBytes(100_000);
    const { caller } = await forwardTo(async (_request, response) => {
      response.writeHead(200, { 'content-length': 600 * piece.length });
      for (let n = 0; n < 600; n++) {
        written += piece.length;
        if (!response.write(piece)) await once(response, 'drain');
      }
      response.end();
    });
    caller.socket.pause();
    caller.send(rawPost('/', '{}'));
    await untilStill('the target is held back', () => written);
    expect(written).toBeLessThan(600 * piece.length);
    caller.socket.resume();
    expect((await caller.answer())?.body.length).toBe(600 * piece.length);
  });
});

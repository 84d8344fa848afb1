import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { selfSigned } from '../../../test/testkit/certificate.ts';
import { startNameServer } from '../../../test/testkit/name-server.ts';
import { startWebServer, type WebServer } from '../../../test/testkit/sources/web-server.ts';
import { until } from '../../../test/testkit/until.ts';
import { readBytes, readJson } from './answers/read-answer.ts';
import { createOutgoing, type OutgoingDependencies } from './create-outgoing.ts';
import type { OutgoingRequest } from './outgoing.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(
  listener: RequestListener,
  at: { host?: string; port?: number } = {},
): Promise<WebServer> {
  const server = await startWebServer(listener, at);
  closers.push(() => server.close());
  return server;
}

const hello: RequestListener = (_, response) => response.end('hello');

function open(allow: string[] = [], more: Partial<OutgoingDependencies> = {}) {
  const outgoing = createOutgoing({
    settings: { allow, time_limit: 60_000, longest_wait: 60_000 },
    wait: async () => {},
    ...more,
  });
  closers.push(() => outgoing.close());
  const ask = async (url: string, request: Partial<OutgoingRequest> = {}) => {
    const answer = await outgoing.open({ url, limit: 2 ** 20, ...request }, new AbortController().signal);
    return { ...answer, text: (await readBytes(answer)).toString() };
  };
  return { outgoing, ask };
}

/** A resolver that asks a name server of the test's own. */
async function names(answer: (name: string, times: number) => string[]) {
  const server = await startNameServer({ port: 0, answer });
  closers.push(() => server.close());
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${server.port}`]);
  const lookup = async (name: string) =>
    (await resolver.resolve4(name)).map((address) => ({ address, family: 4 }));
  return { lookup, asked: server.asked };
}

const refused = { code: 'address_not_allowed' };

describe('addresses', () => {
  it('are refused on this machine in every notation, and nothing is sent', async () => {
    const { url, port, seen } = await serve(hello);
    const { ask } = open();
    const hosts = [
      '127.0.0.1',
      'localhost',
      '127.1',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '0.0.0.0',
      '[::1]',
    ];
    for (const host of [...hosts, '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '127.0.0.1.']) {
      await expect(ask(`http://${host}:${port}/`), host).rejects.toMatchObject(refused);
    }
    await expect(ask(url)).rejects.toThrow(/outgoing\.allow/);
    expect(seen).toEqual([]);
  });

  it('are opened by host and port, and only those', async () => {
    const opened = await serve(hello);
    const other = await serve(hello);
    const { ask } = open([opened.entry, '127.0.0.0/8', '127.0.0.1']);
    await expect(ask(opened.url)).resolves.toMatchObject({ status: 200, text: 'hello' });
    await expect(ask(other.url)).rejects.toMatchObject(refused);
    expect(other.seen).toEqual([]);
  });

  it('are not named in the refusal of a name, whichever of its addresses is at fault', async () => {
    const { lookup } = await names((name) =>
      name === 'mixed.example' ? ['1.1.1.1', '10.20.30.40'] : ['10.20.30.40'],
    );
    const { ask } = open([], { lookup });
    for (const name of ['inner.example', 'mixed.example']) {
      const error: Error = await ask(`http://${name}/`).catch((problem) => problem);
      expect(error).toMatchObject(refused);
      expect(error.message).not.toContain('10.20');
    }
  });

  it('are looked up once per connection, so a second answer leads nowhere', async () => {
    const first = await serve(hello, { host: '127.0.0.2' });
    const second = await serve((_, response) => response.end('inner'), {
      host: '127.0.0.3',
      port: first.port,
    });
    const { lookup, asked } = await names((_, times) => [times === 1 ? '127.0.0.2' : '127.0.0.3']);
    const { ask } = open([first.entry], { lookup });
    await expect(ask(`http://rebind.example:${first.port}/`)).resolves.toMatchObject({ text: 'hello' });
    expect(asked).toEqual(['rebind.example']);
    expect(second.seen).toEqual([]);
    // The next connection is checked anew.
    const { ask: again } = open([first.entry], { lookup });
    await expect(again(`http://rebind.example:${first.port}/`)).rejects.toMatchObject(refused);
    expect(second.seen).toEqual([]);
  });

  it('that do not resolve are reported as such', async () => {
    const { lookup } = await names(() => []);
    await expect(open([], { lookup }).ask('http://nowhere.example/')).rejects.toMatchObject({
      code: 'unknown_host',
    });
  });

  it('that the administrator trusts are not checked, and lead nowhere else', async () => {
    const inner = await serve(hello);
    const mirror = await serve((request, response) =>
      request.url === '/out' ? response.writeHead(302, { location: inner.url }).end() : response.end('hello'),
    );
    const { ask } = open();
    await expect(ask(mirror.url, { trusted: ({ origin }) => origin === mirror.url })).resolves.toMatchObject({
      text: 'hello',
    });
    await expect(
      ask(`${mirror.url}/out`, { trusted: ({ origin }) => origin === mirror.url }),
    ).rejects.toMatchObject(refused);
    await expect(ask(mirror.url)).rejects.toMatchObject(refused);
    expect(inner.seen).toEqual([]);
  });
});

describe('proxies', () => {
  it('are used for trusted servers only', async () => {
    const proxy = await serve((_, response) => response.end('through the proxy'));
    const site = await serve(hello, { host: '127.0.0.2' });
    vi.stubEnv('HTTP_PROXY', proxy.url);
    const { ask } = open([site.entry]);
    vi.unstubAllEnvs();
    await expect(ask(site.url)).resolves.toMatchObject({ text: 'hello' });
    await expect(ask(site.url, { trusted: () => true })).resolves.toMatchObject({
      text: 'through the proxy',
    });
    expect(proxy.seen.map(({ url }) => url)).toEqual([`${site.url}/`]);
  });
});

describe('redirects', () => {
  it('are checked at every step, and the forbidden address is not named', async () => {
    const inner = await serve((_, response) => response.end('secret'), { host: '127.0.0.3' });
    for (const location of [
      inner.url,
      'http://169.254.169.254/latest/',
      'file:///etc/passwd',
      'gopher://x',
      'http://u:p@x/',
      'http://[::1]/',
      'http://0.0.0.0/',
      'http://2130706433/',
      'http://0x7f.1/',
      'http://[::ffff:169.254.169.254]/',
      encodeURI('http://①②⑦.1/'),
    ]) {
      const outer = await serve((_, response) => response.writeHead(302, { location }).end());
      const error: Error = await open([outer.entry])
        .ask(outer.url)
        .catch((problem) => problem);
      expect(error, location).toMatchObject(refused);
      expect(error.message).not.toMatch(/127\.0\.0\.3|169\.254|passwd|gopher/);
    }
    expect(inner.seen).toEqual([]);
  });

  it('carry cookies back to the same server, and credentials to no other', async () => {
    const storage = await serve((_, response) => response.end('file'), { host: '127.0.0.2' });
    const site = await serve((request, response) => {
      if (request.headers.cookie !== 'guest=1') {
        response.writeHead(302, { location: request.url, 'set-cookie': 'guest=1; Path=/; HttpOnly' }).end();
      } else response.writeHead(307, { location: `${storage.url}/f?a=b` }).end();
    });
    const { ask } = open([site.entry, storage.entry]);
    const answer = await ask(`${site.url}/x`, { credentials: { authorization: 'Bearer hunter2' } });
    expect(answer).toMatchObject({ text: 'file', url: `${storage.url}/f?a=b` });
    expect(site.seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer hunter2',
      'Bearer hunter2',
    ]);
    expect(JSON.stringify(storage.seen)).not.toMatch(/hunter2|guest/);
  });

  it('may be relative and in Cyrillic, and end', async () => {
    const site = await serve((request, response) => {
      const { url = '' } = request;
      if (url === '/start')
        response.writeHead(301, { location: Buffer.from('/файл.txt').toString('latin1') }).end();
      else if (url === '/loop') response.writeHead(302, { location: '/loop' }).end();
      else response.end(decodeURI(url));
    });
    const { ask } = open([site.entry]);
    await expect(ask(`${site.url}/start`)).resolves.toMatchObject({ text: '/файл.txt' });
    await expect(ask(`${site.url}/loop`)).rejects.toThrow(/redirects more than 10 times/);
  });
});

describe('answers', () => {
  it('are limited in size, stated or not', async () => {
    const site = await serve((request, response) => {
      if (request.url === '/stated') response.writeHead(200, { 'content-length': 5e9 }).write('x');
      else {
        const send = () => response.write(Buffer.alloc(2 ** 16), send);
        send();
      }
    });
    const { ask } = open([site.entry]);
    await expect(ask(`${site.url}/stated`)).rejects.toMatchObject({ status: 413 });
    await expect(ask(`${site.url}/endless`)).rejects.toMatchObject({ status: 413 });
  });

  it('are unpacked within limits', async () => {
    const site = await serve((request, response) => {
      const content = request.url === '/bomb' ? Buffer.alloc(64 * 2 ** 20) : Buffer.from('hello');
      const bytes = request.url === '/damaged' ? Buffer.from('no gzip') : gzipSync(content);
      response
        .writeHead(200, { 'content-encoding': request.url === '/odd' ? 'constructor' : 'gzip' })
        .end(bytes);
    });
    const { ask } = open([site.entry]);
    await expect(ask(site.url)).resolves.toMatchObject({ text: 'hello', size: null });
    await expect(ask(`${site.url}/bomb`, { limit: 2 ** 30 })).rejects.toThrow(/grows more than 200 times/);
    await expect(ask(`${site.url}/bomb`)).rejects.toMatchObject({ status: 413 });
    await expect(ask(`${site.url}/damaged`)).rejects.toThrow(/damaged content/);
    await expect(ask(`${site.url}/odd`)).rejects.toThrow(/unknown content encoding/);
  });

  it('of other hostile kinds end as errors', async () => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
    const bomb = brotliCompressSync(Buffer.alloc(16 * 2 ** 20), { params });
    const site = await serve(({ url, socket }, response) => {
      if (url === '/brotli') response.writeHead(200, { 'content-encoding': 'br' }).end(bomb);
      else if (url === '/headers') socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`);
      else if (url === '/short') socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello');
      else if (url === '/long') socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nhello');
      else if (url === '/twice')
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nhello');
      else response.writeHead(404).write('trickles');
    });
    const { ask } = open([site.entry]);
    await expect(ask(`${site.url}/brotli`, { limit: 2 ** 30 })).rejects.toThrow(/grows more than 200 times/);
    await expect(ask(`${site.url}/headers`)).rejects.toThrow(/does not answer like a web server/);
    await expect(ask(`${site.url}/short`)).rejects.toThrow(/was cut/);
    await expect(ask(`${site.url}/long`)).resolves.toMatchObject({ text: 'hel' });
    await expect(ask(`${site.url}/twice`)).rejects.toMatchObject({ status: expect.any(Number) });
    // The body of a refusal is not waited for.
    await expect(ask(`${site.url}/refusal`)).rejects.toThrow(/nothing at this address/);
  });

  it('continue after a cut where the server knows ranges, and fail where it does not', async () => {
    const content = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
    const site = await serve((request, response) => {
      const ranges = request.url === '/ranges' ? { etag: '"v1"' } : {};
      const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      if (from > 0 && request.url === '/changed') response.writeHead(200, { etag: '"v2"' }).end('other');
      else {
        const range = from > 0 && {
          'content-range': `bytes ${from}-${content.length - 1}/${content.length}`,
        };
        const etag = request.url === '/changed' ? { etag: '"v1"' } : ranges;
        response.writeHead(from > 0 ? 206 : 200, {
          'content-length': content.length - from,
          ...etag,
          ...range,
        });
        response.write(content.subarray(from, from + 100_000), () => {
          if (from + 100_000 >= content.length) response.end();
          else response.destroy();
        });
      }
    });
    const { outgoing, ask } = open([site.entry]);
    const answer = await outgoing.open(
      { url: `${site.url}/ranges`, limit: 2 ** 20 },
      new AbortController().signal,
    );
    expect((await readBytes(answer)).equals(content)).toBe(true);
    expect(site.seen.at(-1)?.headers['if-range']).toBe('"v1"');
    await expect(ask(`${site.url}/none`)).rejects.toThrow(/was cut/);
    await expect(ask(`${site.url}/changed`)).rejects.toThrow(/was cut/);
  });

  it('are asked for again where that may help, as long as the server asks to wait a bearable time', async () => {
    const waits: number[] = [];
    const wait = async (milliseconds: number) => void waits.push(milliseconds);
    let count = 0;
    const site = await serve((request, response) => {
      count++;
      if (request.url === '/busy' && count < 3)
        response.writeHead(429, { 'retry-after': '7' }).end('inner detail');
      else if (request.url === '/later') response.writeHead(503, { 'retry-after': '3600' }).end();
      else if (request.url === '/down') response.writeHead(502).end('<b>inner detail</b>');
      else if (request.url === '/gone') response.writeHead(404).end('inner detail');
      else response.end('done');
    });
    const { ask } = open([site.entry], { wait });
    await expect(ask(`${site.url}/busy`)).resolves.toMatchObject({ text: 'done' });
    expect(waits.filter((pause) => pause >= 6_500).length).toBeGreaterThanOrEqual(2);
    const problems = await Promise.all(
      ['/later', '/down', '/gone'].map((path) => ask(site.url + path).catch((problem) => problem)),
    );
    expect(problems.map(({ status }) => status)).toEqual([502, 502, 502]);
    expect(problems[0]).toMatchObject({ retryAfter: 3600 });
    expect(JSON.stringify(problems.map(String))).not.toContain('inner detail');
    const asked = (path: string) => site.seen.filter(({ url }) => url === path).length;
    expect(['/later', '/down', '/gone'].map(asked)).toEqual([1, 4, 1]);
  });

  it('that are refused for ever, or until 2099, end as errors', async () => {
    const pauses: number[] = [];
    const wait = async (milliseconds: number) => void pauses.push(milliseconds);
    const always = async (status: number, after?: string) => {
      const headers = after === undefined ? {} : { 'retry-after': after };
      const site = await serve((_, response) => response.writeHead(status, headers).end());
      const { ask } = open([site.entry], { wait });
      await expect(ask(site.url), after).rejects.toMatchObject({ status: 502 });
      return site.seen.length;
    };
    for (const after of ['999999', 'Fri, 31 Dec 2099 23:59:59 GMT']) {
      expect([await always(429, after), await always(503, after)]).toEqual([1, 1]);
    }
    expect(pauses).toEqual([]);
    expect(await always(503, '0')).toBe(4);
    expect(await always(429, '60')).toBeLessThanOrEqual(6);
    // Pauses grow where the server names none.
    expect(await always(429, '0')).toBeLessThan(20);
    expect(await always(429)).toBeLessThan(20);
    expect(Math.max(...pauses)).toBeLessThan(61_000);
  });

  it('that are waited for end at once at the signal', async () => {
    const site = await serve((_, response) => response.writeHead(429, { 'retry-after': '50' }).end());
    const outgoing = createOutgoing({
      settings: { allow: [site.entry], time_limit: 60_000, longest_wait: 60_000 },
    });
    closers.push(() => outgoing.close());
    const stop = new AbortController();
    const asked = outgoing.open({ url: site.url, limit: 1 }, stop.signal).catch((error) => error);
    await until('the refusal', () => site.seen.length === 1);
    stop.abort(new Error('canceled'));
    expect(String(await asked)).toMatch(/abort|canceled/i);
  });

  it('end at the time limit and at the signal, however slowly they arrive', async () => {
    const site = await serve((_, response) => {
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const { ask, outgoing } = open([site.entry]);
    await expect(ask(site.url, { time: 300 })).rejects.toMatchObject({ status: 504 });
    const stop = new AbortController();
    const answer = await outgoing.open({ url: site.url, limit: 1e6 }, stop.signal);
    setTimeout(() => stop.abort(), 50);
    await expect(readBytes(answer)).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('are closed when they are given up, read or not', async () => {
    let closed = 0;
    const site = await serve((_, response) => {
      response.write('x'.repeat(1_000));
      response.on('close', () => closed++);
    });
    const { outgoing } = open([site.entry]);
    const { signal } = new AbortController();
    const unread = await outgoing.open({ url: site.url, limit: 1e6 }, signal);
    await unread.body[Symbol.asyncIterator]().return?.();
    const begun = await outgoing.open({ url: site.url, limit: 1e6 }, signal);
    for await (const _ of begun.body) break;
    await until('both connections are closed', () => closed === 2);
  });

  it('that are a page where data was expected are named so', async () => {
    const site = await serve((_, response) => response.end('<html>please log in</html>'));
    const { outgoing } = open([site.entry]);
    const answer = await outgoing.open({ url: site.url, limit: 1e6 }, new AbortController().signal);
    await expect(readJson(answer)).rejects.toThrow(/answered with a page where data was expected/);
  });

  it('with a certificate of an unknown authority are refused', async () => {
    const server = createServer(selfSigned(), (_, response) => response.end('secret'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closers.push(() => server.close());
    const entry = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(open([entry]).ask(`https://${entry}/`)).rejects.toThrow(/certificate of .* is not trusted/);
  });

  it('that are not HTTP are refused', async () => {
    const site = await serve((request) => request.socket.end('+OK redis\r\n'));
    await expect(open([site.entry]).ask(site.url)).rejects.toThrow(/does not answer like a web server/);
  });
});

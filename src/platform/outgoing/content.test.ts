import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../../../test/testkit/machine/certificate.ts';
import { outgoingTests } from '../../../test/testkit/outgoing.ts';
import { readBytes, readJson } from './answers/read-answer.ts';

const { closers, open, serve, close } = outgoingTests();
afterEach(close);

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

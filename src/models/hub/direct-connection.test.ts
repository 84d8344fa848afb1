import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { requirement } from '../../../test/testkit/requirement.ts';
import { DirectConnection } from '../files/fetching/direct-connection.ts';

const openssl = await requirement('openssl', () => execFileSync('openssl', ['version']));
const content = randomBytes(12_000_000);
const rangeBytes = 3_500_000;

const serveRange: RequestListener = ({ headers }, response) => {
  const [first = 0, last = 0] = headers.range?.match(/\d+/g)?.map(Number) ?? [];
  response.writeHead(206, { 'content-range': rangeOf(headers.range), 'content-length': last - first + 1 });
  response.end(content.subarray(first, last + 1));
};

/** The `content-range` that fits a `range` header. */
function rangeOf(requested: string | undefined): string {
  return `${requested?.replace('=', ' ')}/${content.length}`;
}

describe('DirectConnection', () => {
  const connection = new DirectConnection();
  const came = Buffer.alloc(content.length);
  const writes: Promise<void>[] = [];
  let server: Server | undefined;
  let connections = 0;
  afterEach(() => {
    connection.close();
    server?.close();
    came.fill(0);
    connections = 0;
  });

  async function read(scheme: 'http' | 'https', listening: Server): Promise<boolean[]> {
    server = listening.listen(0, '127.0.0.1').on('connection', () => connections++);
    await once(listening, 'listening');
    const url = new URL(`${scheme}://localhost:${(listening.address() as AddressInfo).port}/file`);
    const outcomes: boolean[] = [];
    for (let first = 0; first < content.length; first += rangeBytes) {
      const last = Math.min(first + rangeBytes, content.length) - 1;
      const signal = AbortSignal.timeout(60_000);
      outcomes.push(
        await connection.read({ url, headers: {}, first, last, signal, onArrival() {}, write: slowly }),
      );
    }
    await Promise.all(writes);
    return outcomes;
  }

  /** Writes late, as a slow disk would. */
  function slowly(position: number, bytes: Buffer): Promise<void> {
    const before = writes.at(-1);
    const write = (async () => {
      await before;
      for (let turn = 0; turn < 50; turn++) await nextTurn();
      came.set(bytes, position);
    })();
    writes.push(write);
    return write;
  }

  test('reads ranges over one connection, each byte to its place, even if the disk is slow', async () => {
    expect(await read('http', createServer(serveRange))).toEqual([true, true, true, true]);
    expect(came.equals(content)).toBe(true);
    expect(connections).toBe(1);
  });

  const wrong: [string, RequestListener][] = [
    ['an error', (_, response) => response.writeHead(403).end('no')],
    ['the whole file', (_, response) => response.end(content)],
    [
      'another range',
      (_, response) =>
        response.writeHead(206, { 'content-range': 'bytes 1-2/9', 'content-length': 2 }).end('no'),
    ],
    [
      'a range that is shorter than it says',
      ({ headers }, response) =>
        response.writeHead(206, { 'content-range': rangeOf(headers.range), 'content-length': 2 }).end('no'),
    ],
    [
      'a range in chunks',
      ({ headers }, response) =>
        response.writeHead(206, { 'content-range': rangeOf(headers.range) }).end('no'),
    ],
    [
      'a compressed range',
      ({ headers }, response) =>
        response
          .writeHead(206, {
            'content-range': rangeOf(headers.range),
            'content-length': rangeBytes,
            'content-encoding': 'gzip',
          })
          .end(Buffer.alloc(rangeBytes)),
    ],
    ['something that is not HTTP', ({ socket }) => socket.end('SSH-2.0-OpenSSH\r\n\r\n')],
  ];
  test.each(wrong)('leaves %s to a full HTTP client', async (_title, listener) => {
    expect(await read('http', createServer(listener))).toEqual([false, false, false, false]);
    expect(came.every((byte) => byte === 0)).toBe(true);
  });

  test.skipIf(!openssl.available)(
    'reads over TLS, which delivers what it has read even when paused',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'tls-'));
      const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
      const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject];
      execFileSync('openssl', ['req', '-x509', ...made], { stdio: 'ignore' });
      const trusted = getCACertificates();
      setDefaultCACertificates([...trusted, readFileSync(cert, 'utf8')]);
      try {
        const secure = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, serveRange);
        expect(await read('https', secure)).toEqual([true, true, true, true]);
        expect(came.equals(content)).toBe(true);
        expect(connections).toBe(1);
      } finally {
        setDefaultCACertificates(trusted);
        rmSync(folder, { recursive: true });
      }
    },
  );
});

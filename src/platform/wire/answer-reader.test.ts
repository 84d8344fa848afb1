import { describe, expect, it } from 'vitest';
import { AnswerReader } from './answer-reader.ts';
import type { Piece } from './piece.ts';

interface Told {
  status: number;
  headers: string[];
  body: string;
  ended: boolean;
  /** Whether every feed so far was accepted. */
  isHttp: boolean;
  reusable: boolean;
  hint: number;
}

/** Feeds a response in pieces through reused memory, as connections do, and returns what was read. */
function read(pieces: readonly Buffer[], closes: boolean): Told {
  const told: Told = {
    status: 0,
    headers: [],
    body: '',
    ended: false,
    isHttp: true,
    reusable: false,
    hint: 0,
  };
  const kept: Piece[] = [];
  const reader = new AnswerReader({
    onHead: (status, headers) => Object.assign(told, { status, headers: [...headers] }),
    onBody: (piece) => {
      if (piece.length === 0 || told.ended) throw new Error('an empty piece, or one after the end');
      kept.push(piece);
    },
    onEnd: () => {
      if (told.ended) throw new Error('ended twice');
      told.ended = true;
    },
  });
  reader.expect();
  const memory = Buffer.alloc(70_000);
  for (const piece of pieces) {
    if (!told.isHttp) break;
    piece.copy(memory);
    // A connection ignores bytes that arrive when no response is expected.
    told.isHttp = !told.ended && reader.feed(memory.subarray(0, piece.length));
    memory.fill(0xaa, 0, piece.length);
  }
  told.reusable = told.isHttp && reader.reusable;
  told.hint = reader.idleHint;
  if (closes && told.isHttp && !told.ended) reader.close();
  told.body = kept.map((piece) => Buffer.from(piece as string, 'latin1').toString('latin1')).join('');
  return told;
}

/** Reads a response whole, byte by byte, and split at every position; the result must always be the same. */
function readAnyhow(answer: string, closes = false): Told {
  const bytes = Buffer.from(answer, 'latin1');
  const whole = read([bytes], closes);
  const cut = (places: number[]) =>
    [0, ...places].map((place, n) => bytes.subarray(place, places[n] ?? bytes.length));
  const all = (told: Told) => ({ ...told, isHttp: true });
  const bytewise = read(cut(Array.from({ length: bytes.length - 1 }, (_, n) => n + 1)), closes);
  expect(all(bytewise)).toEqual(all(whole));
  for (let place = 1; place < bytes.length; place++) {
    expect(all(read(cut([place]), closes)), `cut at ${place}`).toEqual(all(whole));
  }
  return whole;
}

describe('AnswerReader', () => {
  it.each([
    ['a length', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello', 'hello'],
    ['a length of 0', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', ''],
    ['no reason', 'HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nhi', 'hi'],
    ['an empty reason', 'HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\nhi', 'hi'],
    ['bytes above ASCII', 'HTTP/1.1 200 \xd6K\r\ncontent-length: 3\r\n\r\n\xff\x00\xe9', '\xff\x00\xe9'],
    [
      'chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n',
      'hello',
    ],
    ['no chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n', ''],
    [
      'sizes in hexadecimal, with zeros before them',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1A\r\n${'a'.repeat(26)}\r\n00b\r\n${'b'.repeat(11)}\r\n000\r\n\r\n`,
      'a'.repeat(26) + 'b'.repeat(11),
    ],
    [
      'extensions and blanks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n3 ;c="d;e"\r\nllo\r\n0;f\r\n\r\n',
      'hello',
    ],
    [
      'trailers',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nx-sum: 1\r\ny: \r\n\r\n',
      'hi',
    ],
    [
      'what looks like framing in a chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nc\r\n\r\n0\r\n\r\nHTTP/\r\n0\r\n\r\n',
      '\r\n0\r\n\r\nHTTP/',
    ],
    [
      'interim answers before it',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi',
      'hi',
    ],
  ])('reads an answer with %s', (_title, answer, body) => {
    expect(readAnyhow(answer)).toMatchObject({
      status: 200,
      body,
      ended: true,
      isHttp: true,
      reusable: true,
    });
  });

  it.each([
    [204, 'HTTP/1.1 204 No Content\r\n\r\n'],
    [204, 'HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n'],
    [304, 'HTTP/1.1 304 Not Modified\r\ncontent-length: 100\r\n\r\n'],
  ])('knows that a %i has no body', (status, answer) => {
    expect(readAnyhow(answer)).toMatchObject({ status, body: '', ended: true, reusable: true });
  });

  it.each([
    ['HTTP/1.1 200 OK\r\n\r\nall of it', 'HTTP/1.1'],
    ['HTTP/1.0 200 OK\r\n\r\nall of it', 'HTTP/1.0'],
    ['HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n\r\nall of it', 'HTTP/1.0 that says otherwise'],
  ])('reads until the end where no length is given: %j', (answer) => {
    expect(readAnyhow(answer, true)).toMatchObject({ body: 'all of it', ended: true, reusable: false });
    expect(readAnyhow(answer, false)).toMatchObject({ ended: false, reusable: false });
  });

  it.each([
    ['within the head', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n'],
    ['within a body of known length', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell'],
    ['within a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhell'],
    ['before the last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'],
    ['before the last line', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n'],
    ['after an interim answer', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('does not take an answer for whole that breaks off %s', (_title, answer) => {
    expect(readAnyhow(answer, true)).toMatchObject({ ended: false, isHttp: true, reusable: false });
  });

  it.each([
    ['a length and a coding', 'content-length: 5\r\ntransfer-encoding: chunked', '5\r\nhello\r\n0\r\n\r\n'],
    ['another coding', 'transfer-encoding: gzip, chunked', '0\r\n\r\n'],
    ['two lengths', 'content-length: 5\r\ncontent-length: 6', 'hello'],
    ['a signed length', 'content-length: +5', 'hello'],
    ['a length in hexadecimal', 'content-length: 0x5', 'hello'],
    ['a length beyond all numbers', 'content-length: 99999999999999999999', 'hello'],
    ['an empty length', 'content-length:', 'hello'],
    ['a size that is none', 'transfer-encoding: chunked', 'x\r\n'],
    ['an empty size', 'transfer-encoding: chunked', '\r\n'],
    ['a signed size', 'transfer-encoding: chunked', '-1\r\n'],
    ['a size beyond all numbers', 'transfer-encoding: chunked', '1000000000000\r\n'],
    ['a size with a bare line feed', 'transfer-encoding: chunked', '2\nhi\r\n'],
    ['a size with a bare carriage return', 'transfer-encoding: chunked', '2\rhi\r\n'],
    ['an extension with a bare line feed', 'transfer-encoding: chunked', '2;a\nhi\r\n'],
    ['a chunk that is longer than it says', 'transfer-encoding: chunked', '2\r\nhello\r\n'],
    ['a trailer with a bare line feed', 'transfer-encoding: chunked', '0\r\nx: y\n\r\n'],
    ['a trailer with a bare carriage return', 'transfer-encoding: chunked', '0\r\nx: \ry\r\n\r\n'],
    ['a bare line feed for the last line', 'transfer-encoding: chunked', '0\r\n\n'],
    ['a chunk with half an end', 'transfer-encoding: chunked', '2\r\nhi\rx'],
  ])('refuses %s', (_title, headers, body) => {
    const told = readAnyhow(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`);
    expect(told).toMatchObject({ ended: false, isHttp: false, reusable: false });
  });

  it.each([
    'SSH-2.0-OpenSSH\r\n\r\n',
    'HTTP/2 200\r\n\r\n',
    'HTTP/1.2 200 OK\r\n\r\n',
    'HTTP/1.1 20 OK\r\n\r\n',
    'HTTP/1.1 099 OK\r\n\r\n',
    'HTTP/1.1 2000 OK\r\n\r\n',
    'HTTP/1.1  200 OK\r\n\r\n',
    'HTTP/1.1 200 OK\r\na : b\r\n\r\n',
    'HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n',
    'HTTP/1.1 200 OK\r\na: \0\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n',
    '\r\nHTTP/1.1 200 OK\r\n\r\n',
  ])('refuses %j', (answer) => {
    expect(readAnyhow(answer)).toMatchObject({ status: 0, ended: false, isHttp: false });
  });

  it.each([
    ['HTTP/1.1 204 No Content\r\n\r\n', ''],
    ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', ''],
    ['HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi', 'hi'],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n', 'hi'],
  ])('uses no connection again on which more came than was asked for: %j', (answer, body) => {
    expect(readAnyhow(`${answer}HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nbad`)).toMatchObject({
      body,
      ended: true,
      reusable: false,
    });
  });

  it.each([
    ['HTTP/1.1', '', true],
    ['HTTP/1.1', 'Connection: Close\r\n', false],
    ['HTTP/1.1', 'connection: keep-alive, close\r\n', false],
    ['HTTP/1.1', 'connection: keep-alive\r\nconnection: close\r\n', false],
    ['HTTP/1.0', '', false],
    ['HTTP/1.0', 'connection: Keep-Alive\r\n', true],
  ])('%s with %j is used again: %s', (version, header, reusable) => {
    const answer = `${version} 200 OK\r\n${header}content-length: 2\r\n\r\nhi`;
    expect(readAnyhow(answer)).toMatchObject({ ended: true, reusable });
  });

  it.each([
    ['', 0],
    ['keep-alive: timeout=5, max=100\r\n', 5000],
    ['Keep-Alive: max=100,timeout=7\r\n', 7000],
    ['keep-alive: soon\r\n', 0],
  ])('reads the hint in %j', (header, hint) => {
    expect(readAnyhow(`HTTP/1.1 200 OK\r\n${header}content-length: 0\r\n\r\n`)).toMatchObject({ hint });
  });

  it('reads one answer after the other, of any kind', () => {
    const told: string[] = [];
    const reader = new AnswerReader({
      onHead: (status) => told.push(`${status}`),
      onBody: (piece) => told.push(piece.toString()),
      onEnd: () => told.push('end'),
    });
    const answers = [
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nx: y\r\n\r\n',
      'HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\nno',
      'HTTP/1.1 204 No Content\r\n\r\n',
    ];
    for (const answer of [...answers, ...answers]) {
      reader.expect();
      expect(reader.feed(Buffer.from(answer))).toBe(true);
      expect(reader.reusable).toBe(true);
    }
    const once = ['200', 'hi', 'end', '404', 'no', 'end', '204', 'end'];
    expect(told).toEqual([...once, ...once]);
  });

  it('takes heads of 16 KiB and no longer ones', () => {
    const head = (length: number) => {
      const rest = 'HTTP/1.1 204 No Content\r\nx: \r\n\r\n'.length;
      return Buffer.from(`HTTP/1.1 204 No Content\r\nx: ${'y'.repeat(length - rest)}\r\n\r\n`);
    };
    expect(read([head(16_384)], false)).toMatchObject({ status: 204, ended: true });
    expect(read([head(16_385)], false)).toMatchObject({ status: 0, isHttp: false });
    const endless = Array.from({ length: 20 }, () => Buffer.from('x: y\r\n'.repeat(200)));
    expect(read([Buffer.from('HTTP/1.1 200 OK\r\n'), ...endless], false)).toMatchObject({ isHttp: false });
  });

  it('takes extensions of many chunks, but no endless one, and no endless trailers', () => {
    const begin = Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    const chunk = Buffer.from('2;name=value\r\nhi\r\n');
    const many = read([begin, ...Array.from({ length: 5000 }, () => chunk), Buffer.from('0\r\n\r\n')], false);
    expect(many).toMatchObject({ body: 'hi'.repeat(5000), ended: true });
    const long = Buffer.from('x'.repeat(10_000));
    expect(read([begin, Buffer.from('2;'), long, long], false)).toMatchObject({ isHttp: false });
    expect(read([begin, Buffer.from('0\r\n'), long, long], false)).toMatchObject({ isHttp: false });
  });

  it('gives long bodies as they are', () => {
    const body = Buffer.from(Array.from({ length: 60_000 }, (_, n) => (n * 7) % 256));
    const head = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
    for (const size of [8191, 8192, 8193, 60_000]) {
      const pieces = [head];
      for (let at = 0; at < body.length; at += size) pieces.push(body.subarray(at, at + size));
      expect(read(pieces, false).body === body.toString('latin1'), `${size}`).toBe(true);
    }
  });
});

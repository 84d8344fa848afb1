import { describe, expect, it } from 'vitest';
import { beforeEvents, parseEvents, type ServerEvent } from './parse-events.ts';
import { readEvents } from './read-events.ts';

function parse(...pieces: string[]): ServerEvent[] {
  let state = beforeEvents;
  return pieces.flatMap((piece) => {
    const read = parseEvents(state, piece);
    state = read.state;
    return read.events;
  });
}

const message = (data: string): ServerEvent => ({ name: 'message', data });

describe('parseEvents', () => {
  it.each([
    ['one event', 'data: a\n\n', [message('a')]],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', [message('a'), message('b')]],
    ['CR alone', 'data: a\r\rdata: b\r\r', [message('a'), message('b')]],
    ['several lines of data', 'data: a\ndata: b\ndata\ndata:  c\n\n', [message('a\nb\n\n c')]],
    [
      'a name, for one event only',
      'event: error\ndata: a\n\ndata: b\n\n',
      [{ name: 'error', data: 'a' }, message('b')],
    ],
    ['comments and other fields', ': ping\n\nid: 1\nretry: 5\nnone\ndata:a\n: x\n\n', [message('a')]],
    ['no event without data', 'event: x\n\n\n\n', []],
    ['empty data', 'data\n\ndata:\n\n', [message(''), message('')]],
    ['colons in the data', 'data: {"a": 1}\n\n', [message('{"a": 1}')]],
    ['nothing of an event that does not end', 'data: a\n\ndata: b\n', [message('a')]],
  ])('%s', (_title, text, events) => {
    expect(parse(text)).toEqual(events);
  });

  it('gives the same wherever the text is split', () => {
    const text =
      ': hello\r\n\r\nevent: one\r\ndata: первая 🚂\r\ndata: second\r\n\r\ndata: c\n\ndata: d\r\rdata: e\n\n';
    const whole = parse(text);
    expect(whole).toHaveLength(4);
    for (let at = 0; at <= text.length; at++) {
      for (let next = at; next <= Math.min(text.length, at + 3); next++) {
        expect(parse(text.slice(0, at), text.slice(at, next), text.slice(next))).toEqual(whole);
      }
    }
    expect(parse(...text)).toEqual(whole);
  });
});

describe('readEvents', () => {
  async function* bytewise(bytes: Uint8Array) {
    for (const byte of bytes) yield Uint8Array.of(byte);
  }

  it('puts characters together that are split between pieces, and drops a byte order mark', async () => {
    const found: ServerEvent[] = [];
    for await (const event of readEvents(bytewise(Buffer.from('\ufeffdata: Привет 👩‍🚒\r\n\r\n'))))
      found.push(event);
    expect(found).toEqual([message('Привет 👩‍🚒')]);
  });

  it('gives up on a line without end', async () => {
    async function* endless() {
      for (;;) yield Buffer.alloc(1024 * 1024, 'x');
    }
    await expect(readEvents(endless()).next()).rejects.toThrow('too long');
  });
});

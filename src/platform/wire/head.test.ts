import { describe, expect, it } from 'vitest';
import { headerLines, headerOf, isRepeated, parseHead } from './head.ts';

const start = 'POST / HTTP/1.1\r\n';
const headersOf = (lines: string) => parseHead(start + lines)?.headers;

describe('parseHead', () => {
  it.each([
    ['no header at all', '', []],
    ['names in lower case, in order', 'B: 1\r\na: 2\r\n', ['b', '1', 'a', '2']],
    ['the same name twice', 'a: 1\r\nA: 2\r\n', ['a', '1', 'a', '2']],
    ['no blank after the colon', 'a:1\r\n', ['a', '1']],
    ['blanks around a value', 'a: \t 1 2\t \t\r\n', ['a', '1 2']],
    ['an empty value', 'a:\r\nb: \t \r\n', ['a', '', 'b', '']],
    ['a colon in the value', 'a:: b:c\r\n', ['a', ': b:c']],
    ['bytes above ASCII', 'a: \xe9\xff\r\n', ['a', '\xe9\xff']],
    // The last byte of `à` in UTF-8 is a blank in Latin 1.
    ['a letter that ends in 0xa0', 'a: \xc3\xa0 \r\n', ['a', '\xc3\xa0']],
    ['every character of a token', "!#$%&'*+-.^_`|~09azAZ: x\r\n", ["!#$%&'*+-.^_`|~09azaz", 'x']],
  ])('reads %s', (_title, lines, headers) => {
    expect(headersOf(lines)).toEqual(headers);
  });

  it.each([
    ['a folded line', 'a: 1\r\n 2\r\n'],
    ['a folded line of a tab', 'a: 1\r\n\t2\r\n'],
    ['a bare line feed between lines', 'a: 1\nb: 2\r\n'],
    ['a bare carriage return in a value', 'a: 1\rb: 2\r\n'],
    ['a carriage return before the end of a line', 'a: 1\r\r\n'],
    ['a null', 'a: \0\r\n'],
    ['a control character', 'a: \x1f\r\n'],
    ['a delete', 'a: \x7f\r\n'],
    ['a blank before the colon', 'a : 1\r\n'],
    ['a tab before the colon', 'a\t: 1\r\n'],
    ['a blank before the name', ' a: 1\r\n'],
    ['a blank within the name', 'a b: 1\r\n'],
    ['a name above ASCII', '\xe9: 1\r\n'],
    ['no colon', 'a\r\n'],
    ['no name', ': 1\r\n'],
    ['an empty line', 'a: 1\r\n\r\nb: 2\r\n'],
    ['no end of the last line', 'a: 1'],
    ['half an end of the last line', 'a: 1\r'],
  ])('refuses %s', (_title, lines) => {
    expect(parseHead(start + lines)).toBeUndefined();
  });

  it('refuses what has no line', () => {
    expect(parseHead('')).toBeUndefined();
    expect(parseHead('POST / HTTP/1.1\n')).toBeUndefined();
  });

  it('leaves the first line as it is', () => {
    expect(parseHead('any thing\r\n')).toEqual({ start: 'any thing', headers: [] });
  });

  it('looks at each character a few times at most', () => {
    // Enough that the square of the length, some ten million million steps, would be noticed.
    const blanks = ' \t'.repeat(2_000_000);
    expect(headersOf(`a:${blanks}\0\r\n`)).toBeUndefined();
    expect(headersOf(`a:${blanks}b${blanks}\r\n`)).toEqual(['a', 'b']);
  });
});

it('finds the first of equal headers, and knows that there are several', () => {
  const headers = ['a', '1', 'b', '2', 'a', '3'];
  expect(headerOf(headers, 'a')).toBe('1');
  expect(headerOf(headers, '1')).toBeUndefined();
  expect([isRepeated(headers, 'a'), isRepeated(headers, 'b'), isRepeated(headers, 'c')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(parseHead(start + headerLines(headers))?.headers).toEqual(headers);
});

import { describe, expect, it } from 'vitest';
import { ordinaryRequest } from './ordinary-request.ts';

const read = (line: string, ...headers: string[]) => ordinaryRequest([line, ...headers, ''].join('\r\n'));
const line = 'POST /v1/x?y=1 HTTP/1.1';

describe('ordinaryRequest', () => {
  it.each([
    ['the usual', ['Host: a', 'Content-Length: 5'], 5],
    ['an empty body', ['host: a', 'content-length: 0'], 0],
    ['leading zeros', ['host: a', 'content-length: 0012'], 12],
    ['a wish that is met anyway', ['host: a', 'connection: Keep-Alive', 'content-length: 1'], 1],
    ['an empty host', ['host:', 'content-length: 1'], 1],
  ])('takes %s', (_title, headers, length) => {
    expect(read(line, ...headers)).toMatchObject({ target: '/v1/x?y=1', length });
  });

  it.each([
    ['no length', []],
    ['two lengths', ['content-length: 5', 'content-length: 6']],
    ['the same length twice', ['content-length: 5', 'content-length: 5']],
    ['an empty length', ['content-length:']],
    ['two lengths in one line', ['content-length: 5, 5']],
    ['two numbers', ['content-length: 5 5']],
    ['a signed length', ['content-length: +5']],
    ['a negative length', ['content-length: -5']],
    ['a length in hexadecimal', ['content-length: 0x5']],
    ['a length with an exponent', ['content-length: 1e1']],
    ['a length with a fraction', ['content-length: 5.0']],
    ['a length with separators', ['content-length: 1_0']],
    ['a length in other digits', ['content-length: \xb2']],
    ['a length beyond all numbers', ['content-length: 99999999999999999999']],
    ['a length and a coding', ['content-length: 5', 'transfer-encoding: chunked']],
    ['a coding and a length', ['transfer-encoding: chunked', 'content-length: 5']],
    ['a coding that is none', ['content-length: 5', 'Transfer-Encoding: identity']],
    ['an empty coding', ['content-length: 5', 'TRANSFER-ENCODING:']],
    ['an unknown coding', ['content-length: 5', 'transfer-encoding: xchunked']],
    ['a wish to close', ['content-length: 5', 'connection: close']],
    ['two wishes', ['content-length: 5', 'connection: keep-alive, close']],
    ['contradicting wishes', ['content-length: 5', 'connection: keep-alive', 'connection: close']],
    ['a wish of a proxy', ['content-length: 5', 'proxy-connection: close']],
    ['an upgrade', ['content-length: 5', 'connection: upgrade', 'upgrade: h2c']],
    ['an upgrade alone', ['content-length: 5', 'upgrade: websocket']],
    ['an expectation', ['content-length: 5', 'expect: 100-continue']],
    ['another host', ['content-length: 5', 'host: b']],
    ['a line that is none', ['content-length: 5', 'content-length : 6']],
    ['a folded line', ['content-length: 5', ' 6']],
  ])('leaves %s to Node', (_title, headers) => {
    expect(read(line, 'host: a', ...headers)).toBeUndefined();
  });

  it('leaves a request without a host to Node', () => {
    expect(read(line, 'content-length: 5')).toBeUndefined();
  });

  it.each([
    'GET /v1/x HTTP/1.1',
    'post /v1/x HTTP/1.1',
    'POST /v1/x HTTP/1.0',
    'POST /v1/x HTTP/2.0',
    'POST /v1/x http/1.1',
    'POST /v1/x HTTP/1.1 ',
    'POST /v1/x  HTTP/1.1',
    'POST  /v1/x HTTP/1.1',
    'POST\t/v1/x HTTP/1.1',
    ' POST /v1/x HTTP/1.1',
    'POST /v1/x',
    'POST http://a/v1/x HTTP/1.1',
    'POST * HTTP/1.1',
    'POST a:80 HTTP/1.1',
    'POST /v1/x y HTTP/1.1',
    'POST /v1/\xe9 HTTP/1.1',
    'POST /v1/\0 HTTP/1.1',
    'POST /v1/x\n HTTP/1.1',
    'POST /v1/x HTTP/1.1\n',
    '',
  ])('leaves %j to Node', (first) => {
    expect(read(first, 'host: a', 'content-length: 5')).toBeUndefined();
  });
});

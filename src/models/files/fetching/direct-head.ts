import type { AnswerHead } from '../../../platform/wire/answer-head.ts';
import { headerLines, headerOf } from '../../../platform/wire/head.ts';

/** A range request to a server that speaks plain HTTP/1.1. */
export interface RangeRequest {
  url: URL;
  headers: Record<string, string>;
  first: number;
  last: number;
}

export function requestHead({ url, headers, first, last }: RangeRequest): string {
  const all = {
    host: url.host,
    'user-agent': 'roundhouse',
    accept: '*/*',
    'accept-encoding': 'identity',
    range: `bytes=${first}-${last}`,
    ...headers,
  };
  return `GET ${url.pathname}${url.search} HTTP/1.1\r\n${headerLines(Object.entries(all).flat())}\r\n`;
}

/** Whether the response is exactly the requested range, with nothing to decode. */
export function isThatRange({ status, headers, body }: AnswerHead, { first, last }: RangeRequest): boolean {
  return (
    status === 206 &&
    body === last - first + 1 &&
    headerOf(headers, 'content-encoding') === undefined &&
    headerOf(headers, 'content-range')?.startsWith(`bytes ${first}-${last}/`) === true
  );
}

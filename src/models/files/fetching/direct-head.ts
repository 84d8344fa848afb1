/** What is asked of a server that speaks plain HTTP/1.1. */
export interface RangeRequest {
  url: URL;
  headers: Record<string, string>;
  first: number;
  last: number;
}

export function requestHead({ url, headers, first, last }: RangeRequest): string {
  const lines = Object.entries({
    host: url.host,
    'user-agent': 'roundhouse',
    accept: '*/*',
    'accept-encoding': 'identity',
    range: `bytes=${first}-${last}`,
    ...headers,
  });
  return `GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** Whether the answer is the range as it was asked for, with nothing to decode. */
export function isThatRange(head: string, { first, last }: RangeRequest): boolean {
  const range = /^content-range:\s*bytes (\d+)-(\d+)\//im.exec(head);
  return (
    /^HTTP\/1\.[01] 206\b/.test(head) &&
    !/^(transfer|content)-encoding:/im.test(head) &&
    Number(range?.[1]) === first &&
    Number(range?.[2]) === last
  );
}

/** Whether the server will take another request over the same connection. */
export function staysOpen(head: string): boolean {
  return head.startsWith('HTTP/1.1') && !/^connection:.*\bclose\b/im.test(head);
}

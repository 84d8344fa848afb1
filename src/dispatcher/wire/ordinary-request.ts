import { parseHead } from '../../platform/wire/head.ts';

/** A request that is read without Node's parser: a POST with a body of known length and no special headers. */
export interface OrdinaryRequest {
  target: string;
  headers: string[];
  length: number;
}

const requestLine = /^POST (\/[!-~]*) HTTP\/1\.1$/;
const digits = /^\d{1,15}$/;

/**
 * Returns undefined for every request that is ambiguous or needs special handling; Node's own server takes those. So
 * nothing is accepted here that Node would refuse.
 */
export function ordinaryRequest(text: string): OrdinaryRequest | undefined {
  const head = parseHead(text);
  const target = head && requestLine.exec(head.start)?.[1];
  if (!head || target === undefined) return undefined;
  const { headers } = head;
  let hosts = 0;
  let length = -1;
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] as string;
    switch (headers[at]) {
      case 'host':
        hosts++;
        break;
      case 'content-length':
        if (length >= 0 || !digits.test(value)) return undefined;
        length = Number(value);
        break;
      case 'connection':
        if (value.toLowerCase() !== 'keep-alive') return undefined;
        break;
      case 'expect':
      case 'proxy-connection':
      case 'transfer-encoding':
      case 'upgrade':
        return undefined;
    }
  }
  return hosts === 1 && length >= 0 ? { target, headers, length } : undefined;
}

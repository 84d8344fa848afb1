import { parseHead } from '../../platform/wire/head.ts';

/** What is read here without Node's parser: a POST with a body of known length, and nothing special about it. */
export interface OrdinaryRequest {
  target: string;
  headers: string[];
  length: number;
}

const requestLine = /^POST (\/[!-~]*) HTTP\/1\.1$/;
const digits = /^\d{1,15}$/;

/**
 * Undefined for every request that could be read in two ways, or that needs more than its bytes: Node's own server
 * takes those. So nothing is accepted here that it would refuse.
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

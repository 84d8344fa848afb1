import { type HeaderPairs, headerOf, isRepeated, longestHead, parseHeaders } from './head.ts';

/** The head of an HTTP/1 response, and what it says about the body and the connection. */
export interface AnswerHead {
  status: number;
  headers: string[];
  /** How the body ends: after this many bytes, with the last chunk, or when the connection closes. */
  body: number | 'chunks' | 'until closed';
  /** Whether the server accepts another request on the connection after this response. */
  keepsAlive: boolean;
  /** Where the body starts. */
  end: number;
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d{2})(?: .*)?$/;
const digits = /^\d{1,15}$/;

/** Reads the head that starts at `from`: `more` if it is incomplete, `broken` if it is not strictly valid HTTP/1. */
export function readAnswerHead(bytes: Buffer, from: number, end: number): AnswerHead | 'more' | 'broken' {
  const text = bytes.toString('latin1', from, Math.min(end, from + longestHead));
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) {
    return text.length >= longestHead || !'HTTP/1.'.startsWith(text.slice(0, 7)) ? 'broken' : 'more';
  }
  const lineEnd = text.indexOf('\r\n');
  const line = statusLine.exec(text.slice(0, lineEnd));
  const headers = line && parseHeaders(text.slice(0, headEnd + 2), lineEnd + 2);
  if (!headers) return 'broken';
  const status = Number(line[2]);
  const body = bodyLength(status, headers);
  if (body === 'unclear') return 'broken';
  const keepsAlive = body !== 'until closed' && staysOpen(headers, line[1] === '1');
  return { status, headers, body, keepsAlive, end: from + headEnd + 4 };
}

/** A head with conflicting framing is `unclear`: two readers might disagree about where the response ends. */
function bodyLength(status: number, headers: HeaderPairs): AnswerHead['body'] | 'unclear' {
  if (status < 200 || status === 204 || status === 304) return 0;
  const coding = headerOf(headers, 'transfer-encoding');
  const length = headerOf(headers, 'content-length');
  if (coding !== undefined) {
    return coding.toLowerCase() === 'chunked' && length === undefined ? 'chunks' : 'unclear';
  }
  if (length === undefined) return 'until closed';
  return digits.test(length) && !isRepeated(headers, 'content-length') ? Number(length) : 'unclear';
}

function staysOpen(headers: HeaderPairs, isCurrentVersion: boolean): boolean {
  const connection = headerOf(headers, 'connection')?.toLowerCase();
  if (connection === undefined) return isCurrentVersion;
  return connection === 'keep-alive' && !isRepeated(headers, 'connection');
}

/** Lowercase header names and their values, alternating, in the order in which they were received. */
export type HeaderPairs = readonly string[];

/** The head of an HTTP message. */
export interface Head {
  /** The request line or the status line. */
  start: string;
  headers: string[];
}

/** The longest head that Node's own parser accepts, in bytes. */
export const longestHead = 16_384;

/**
 * A header line without folding, limited to the characters that RFC 9110 allows. The value starts with a non-blank
 * character: if blanks could match in two places, refusing a line of blanks would take quadratic time.
 */
const headerLine = /[!#$%&'*+.^_`|~\w-]+:[ \t]*(?:[!-~\x80-\xff][\t\x20-\x7e\x80-\xff]*)?\r\n/y;

/** Parses a head that ends with the CRLF of its last line. Returns undefined if it is not strictly well formed. */
export function parseHead(text: string): Head | undefined {
  const firstEnd = text.indexOf('\r\n');
  if (firstEnd < 0) return undefined;
  const headers = parseHeaders(text, firstEnd + 2);
  return headers && { start: text.slice(0, firstEnd), headers };
}

/** Parses the header lines from `at` to the end of the text. Returns undefined if one is malformed. */
export function parseHeaders(text: string, at: number): string[] | undefined {
  const headers: string[] = [];
  while (at < text.length) {
    headerLine.lastIndex = at;
    // The arrays that `exec` returns were a fifth of everything that a request leaves to the garbage collector.
    if (!headerLine.test(text)) return undefined;
    const next = headerLine.lastIndex;
    const colon = text.indexOf(':', at);
    headers.push(text.slice(at, colon).toLowerCase(), withoutBlanks(text, colon + 1, next - 2));
    at = next;
  }
  return headers;
}

/** Removes spaces and tabs only: `trim` would also remove 0xa0, the second byte of some UTF-8 letters. */
function withoutBlanks(text: string, start: number, end: number): string {
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** The value of a header, or the first value if the header is repeated. */
export function headerOf(headers: HeaderPairs, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return headers[at + 1];
  return undefined;
}

export function isRepeated(headers: HeaderPairs, name: string): boolean {
  let count = 0;
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) count++;
  return count > 1;
}

/** Formats header lines. Values must not contain line breaks; parsed values never do. */
export function headerLines(headers: HeaderPairs): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) lines += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return lines;
}

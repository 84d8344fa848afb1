/** Header names in lower case and their values, in turn, in the order in which they came. */
export type HeaderPairs = readonly string[];

/** The head of an HTTP message. */
export interface Head {
  /** The request line, or the status line. */
  start: string;
  headers: string[];
}

/** What Node's own parser takes at most. */
export const longestHead = 16_384;

/**
 * A header line without folding; its characters are those that RFC 9110 allows. A value begins with no blank: where
 * blanks could be matched in two ways, a line of nothing else would take the square of its length to refuse.
 */
const headerLine = /([!#$%&'*+.^_`|~\w-]+):[ \t]*((?:[!-~\x80-\xff][\t\x20-\x7e\x80-\xff]*)?)\r\n/y;

/** Reads a head that ends with its last line's CRLF; undefined where it is not strictly well formed. */
export function parseHead(text: string): Head | undefined {
  const firstEnd = text.indexOf('\r\n');
  if (firstEnd < 0) return undefined;
  const headers: string[] = [];
  let at = firstEnd + 2;
  while (at < text.length) {
    headerLine.lastIndex = at;
    const match = headerLine.exec(text);
    if (!match) return undefined;
    headers.push((match[1] as string).toLowerCase(), withoutBlanksAtEnd(match[2] as string));
    at = headerLine.lastIndex;
  }
  return { start: text.slice(0, firstEnd), headers };
}

/** Spaces and tabs alone: `trimEnd` takes 0xa0 too, which is the second half of some letters. */
function withoutBlanksAtEnd(value: string): string {
  let end = value.length;
  while (end > 0 && (value.charCodeAt(end - 1) === 0x20 || value.charCodeAt(end - 1) === 0x09)) end--;
  return end < value.length ? value.slice(0, end) : value;
}

/** The value of a header; the first where there are several. */
export function headerOf(headers: HeaderPairs, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return headers[at + 1];
  return undefined;
}

/** Whether a header is there more than once. */
export function isRepeated(headers: HeaderPairs, name: string): boolean {
  let count = 0;
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) count++;
  return count > 1;
}

/** The lines of a head, as they are sent. Values must be free of line breaks: those that were received are. */
export function headerLines(headers: HeaderPairs): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) lines += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return lines;
}

import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { LayoutElement } from '../../../contracts/hosted/layout-elements.ts';
import type { AnswerType } from './accept.ts';
import { toCsv } from './to-csv.ts';

export interface WrittenAnswer {
  type: string;
  body: Readable;
}

/** Writes the elements of each file piece by piece: an answer can be larger than is good for one text. */
export function writeAnswer(
  files: readonly (readonly LayoutElement[])[],
  type: AnswerType,
  partType: 'application/json' | 'text/csv',
): WrittenAnswer {
  if (type === 'multipart/mixed') {
    const boundary = randomBytes(16).toString('hex');
    const parts = mixedParts(files, boundary, partType);
    return { type: `multipart/mixed; boundary="${boundary}"`, body: Readable.from(parts) };
  }
  if (type === 'text/csv')
    return { type: 'text/csv; charset=utf-8', body: Readable.from([toCsv(files.flat())]) };
  const [only = [], ...others] = files;
  const pieces = others.length === 0 ? jsonOf(only) : jsonOfAll(files);
  return { type: 'application/json; charset=utf-8', body: Readable.from(pieces) };
}

function* jsonOf(elements: readonly LayoutElement[]): Generator<string> {
  yield '[';
  for (let at = 0; at < elements.length; at += 100) {
    const piece = JSON.stringify(elements.slice(at, at + 100)).slice(1, -1);
    yield at === 0 ? piece : `,${piece}`;
  }
  yield ']';
}

function* jsonOfAll(files: readonly (readonly LayoutElement[])[]): Generator<string> {
  yield '[';
  for (const [index, elements] of files.entries()) {
    if (index > 0) yield ',';
    yield* jsonOf(elements);
  }
  yield ']';
}

/** One part per file, in Base64, as the Unstructured API writes them. */
function* mixedParts(
  files: readonly (readonly LayoutElement[])[],
  boundary: string,
  type: 'application/json' | 'text/csv',
): Generator<string> {
  for (const elements of files) {
    const text = type === 'text/csv' ? toCsv(elements) : [...jsonOf(elements)].join('');
    const content = Buffer.from(text).toString('base64');
    const head = [
      `--${boundary}`,
      `Content-Length: ${content.length}`,
      'Content-Transfer-Encoding: base64',
      `Content-Type: ${type}`,
    ];
    yield `${head.join('\r\n')}\r\n\r\n${content}\r\n`;
  }
  yield `--${boundary}--\r\n`;
}

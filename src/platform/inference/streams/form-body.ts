import { randomUUID } from 'node:crypto';
import type { BodyBytes } from '../sending/transport.ts';

export interface FormFile {
  name: string;
  mediaType: string;
  content: BodyBytes;
  /** In bytes, where it is known of a stream. */
  size?: number | undefined;
}

export interface Form {
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
}

/** A multipart form with one file, which comes last and is passed on as it is read. */
export function formBody(fields: Record<string, string | undefined>, file: FormFile): Form {
  const boundary = `roundhouse-${randomUUID()}`;
  let head = '';
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) head += `--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`;
  }
  head += `--${boundary}\r\n${disposition('file', file.name)}\r\ncontent-type: ${file.mediaType}\r\n\r\n`;
  const [start, end] = [Buffer.from(head), Buffer.from(`\r\n--${boundary}--\r\n`)];
  const size = file.content instanceof Uint8Array ? file.content.length : file.size;
  const headers: Record<string, string> = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  if (size !== undefined) headers['content-length'] = String(start.length + size + end.length);
  return { headers, body: join(start, file.content, end) };
}

async function* join(start: Buffer, content: BodyBytes, end: Buffer): AsyncGenerator<Uint8Array> {
  yield start;
  if (content instanceof Uint8Array) yield content;
  else yield* content;
  yield end;
}

function disposition(name: string, filename?: string): string {
  const field = `content-disposition: form-data; name="${escaped(name)}"`;
  return filename === undefined ? field : `${field}; filename="${escaped(filename)}"`;
}

/** As browsers do it. */
function escaped(text: string): string {
  return text.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}

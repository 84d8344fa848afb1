import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RangeNotSatisfiable } from '../../contracts/problems.ts';
import { attachment } from '../../platform/http/requests/attachment.ts';
import { byteRange } from '../../platform/http/requests/byte-range.ts';
import type { OpenDocument } from '../bots.ts';
import { servedType } from './served-type.ts';

/** Sends a stored file, or the part of it that was asked for, so that no browser runs it. */
export async function sendDocument(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  name: string,
  document: Pick<OpenDocument, 'size' | 'modifiedAt' | 'read'>,
): Promise<FastifyReply> {
  const { size, modifiedAt } = document;
  const { type, attached } = servedType(name);
  const tag = `"${size.toString(16)}-${modifiedAt.getTime().toString(16)}"`;
  reply
    .header('etag', tag)
    .header('last-modified', modifiedAt.toUTCString())
    .header('accept-ranges', 'bytes')
    .header('cache-control', 'private, no-cache')
    .header('x-content-type-options', 'nosniff')
    // Chromium does not show a PDF in a sandbox; its own viewer runs no script of ours.
    .header(
      'content-security-policy',
      type === 'application/pdf' ? "frame-ancestors 'none'" : "sandbox; default-src 'none'",
    )
    .header(
      'content-disposition',
      attached ? attachment(name) : attachment(name).replace(/^attachment/, 'inline'),
    );
  if (matches(headers['if-none-match'], tag)) return reply.code(304).send();
  const isCurrent = headers['if-range'] === undefined || headers['if-range'] === tag;
  const range = isCurrent ? byteRange(headers.range, size) : undefined;
  if (range === 'unsatisfiable') throw new RangeNotSatisfiable(size);
  const length = range ? range.last - range.first + 1 : size;
  if (range) reply.code(206).header('content-range', `bytes ${range.first}-${range.last}/${size}`);
  reply.type(type).header('content-length', length);
  if (method === 'HEAD' || length === 0) return reply.send(Readable.from([]));
  const content = await document.read(range && { start: range.first, end: range.last });
  return reply.send(content instanceof Readable ? content : Readable.from(content, { objectMode: false }));
}

const matches = (header: string | undefined, tag: string) =>
  header?.split(',').some((one) => one.trim().replace(/^W\//, '') === tag || one.trim() === '*');

import type { FastifyRequest } from 'fastify';
import { BadRequest, PayloadTooLarge, UnsupportedMediaType } from '../../contracts/problems.ts';
import { brokenForm } from './uploaded-file.ts';

export interface FormFile {
  field: string;
  /** As the client sent it, without folders. */
  name: string;
  type: string;
}

export interface FormLimits {
  files: number;
  /** Of all files together. */
  bytes: number;
  /** Text fields; 200 by default. */
  fields?: number;
}

export interface ReadForm<Kept> {
  /** The values of each text field, in the order they were sent. */
  fields: ReadonlyMap<string, string[]>;
  files: readonly Kept[];
}

const usualFields = 200;
/** Of all text fields together. */
const mostText = 2 ** 20;

/**
 * Reads a form, and hands each file to `keep` as it arrives. The route must have registered `@fastify/multipart`. After
 * a failure the rest of the request is read and dropped: a client that still sends would not read the answer.
 */
export async function readForm<Kept>(
  request: FastifyRequest,
  limits: FormLimits,
  keep: (file: FormFile, content: AsyncIterable<Uint8Array>) => Promise<Kept>,
): Promise<ReadForm<Kept>> {
  if (!request.isMultipart()) throw new UnsupportedMediaType('send the request as multipart/form-data');
  const fields = new Map<string, string[]>();
  const files: Kept[] = [];
  try {
    let left = limits.bytes;
    let textLeft = mostText;
    const counted = async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        left -= piece.length;
        if (left < 0) throw new PayloadTooLarge('the files of this form together are larger than allowed');
        yield piece;
      }
    };
    const fieldsLimit = limits.fields ?? usualFields;
    const parts = request.parts({
      limits: {
        files: limits.files + 1,
        fields: fieldsLimit,
        // The library's own limit of 1,000 is lower than what these two may allow together.
        parts: limits.files + 1 + fieldsLimit + 1,
        fieldSize: mostText,
        fileSize: limits.bytes + 1,
      },
    });
    for await (const part of parts) {
      if (!part.fieldname) throw new BadRequest('a part of the form has no field name');
      if (part.type === 'file') {
        if (files.length === limits.files) {
          throw new PayloadTooLarge(`the form has more than ${limits.files} files`);
        }
        const file = { field: part.fieldname, name: part.filename ?? '', type: part.mimetype };
        files.push(await keep(file, counted(part.file)));
      } else {
        const value = String(part.value);
        textLeft -= value.length;
        if (textLeft < 0 || part.valueTruncated) {
          throw new PayloadTooLarge('the text fields of this form are larger than allowed');
        }
        fields.set(part.fieldname, [...(fields.get(part.fieldname) ?? []), value]);
      }
    }
    return { fields, files };
  } catch (error) {
    request.raw.unpipe();
    request.raw.resume();
    throw brokenForm(error);
  }
}

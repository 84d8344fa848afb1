import { createWriteStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { PayloadTooLarge, UnsupportedMediaType } from '../../contracts/problems.ts';
import { spoolPath } from './spool-folder.ts';
import { brokenForm } from './uploaded-file.ts';

export interface ReceivedFile {
  field: string;
  /** As the client sent it, with any folders. */
  name: string;
  type: string;
  /** Where its bytes are until the form is discarded. */
  path: string;
  bytes: number;
}

export interface ReceivedForm {
  /** The values of each text field, in the order they were sent. */
  fields: ReadonlyMap<string, string[]>;
  files: readonly ReceivedFile[];
  /** Deletes the files that are still where they were received. */
  discard(): Promise<void>;
}

interface FormLimits {
  files: number;
  /** Of all files together. */
  bytes: number;
}

const mostFields = 200;
/** Of all text fields together. */
const mostText = 2 ** 20;

/** Reads a form, its files to disk. The route must have registered `@fastify/multipart`. */
export async function receiveForm(
  request: FastifyRequest,
  { folder, limits }: { folder: string; limits: FormLimits },
): Promise<ReceivedForm> {
  if (!request.isMultipart()) throw new UnsupportedMediaType('send the request as multipart/form-data');
  const fields = new Map<string, string[]>();
  const files: ReceivedFile[] = [];
  const form = {
    fields,
    files,
    async discard() {
      await Promise.all(files.map(({ path }) => unlink(path).catch(() => undefined)));
    },
  };
  try {
    let left = limits.bytes;
    let textLeft = mostText;
    const parts = request.parts({
      limits: {
        files: limits.files + 1,
        fields: mostFields,
        fieldSize: mostText,
        fileSize: limits.bytes + 1,
      },
    });
    for await (const part of parts) {
      if (part.type === 'file') {
        if (files.length === limits.files) {
          throw new PayloadTooLarge(`the form has more than ${limits.files} files`);
        }
        const file = { field: part.fieldname, name: part.filename, type: part.mimetype };
        const received = { ...file, path: spoolPath(folder), bytes: 0 };
        files.push(received);
        received.bytes = await store(part, received.path, left);
        left -= received.bytes;
      } else {
        const value = String(part.value);
        textLeft -= value.length;
        if (textLeft < 0 || part.valueTruncated) {
          throw new PayloadTooLarge('the text fields of this form are larger than allowed');
        }
        fields.set(part.fieldname, [...(fields.get(part.fieldname) ?? []), value]);
      }
    }
    return form;
  } catch (error) {
    await form.discard();
    // The rest is read and dropped: a client that still sends would not read the answer.
    request.raw.unpipe();
    request.raw.resume();
    throw brokenForm(error);
  }
}

async function store({ file }: MultipartFile, path: string, most: number): Promise<number> {
  let bytes = 0;
  const counted = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      bytes += piece.length;
      if (bytes > most) throw new PayloadTooLarge('the files of this form are larger than allowed in all');
      yield piece;
    }
  };
  await pipeline(file, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return bytes;
}

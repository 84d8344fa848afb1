import { createWriteStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import { type FormFile, type FormLimits, type ReadForm, readForm } from './read-form.ts';
import { spoolPath } from './spool-folder.ts';

export interface ReceivedFile extends FormFile {
  /** Where its bytes are until the form is discarded. */
  path: string;
  bytes: number;
}

export interface ReceivedForm extends ReadForm<ReceivedFile> {
  /** Deletes the files that are still where they were received. */
  discard(): Promise<void>;
}

/** Reads a form, its files to disk. The route must have registered `@fastify/multipart`. */
export async function receiveForm(
  request: FastifyRequest,
  { folder, limits }: { folder: string; limits: FormLimits },
): Promise<ReceivedForm> {
  const paths: string[] = [];
  const discard = async () => {
    await Promise.all(paths.map((path) => unlink(path).catch(() => undefined)));
  };
  try {
    const form = await readForm(request, limits, async (file, content) => {
      const path = spoolPath(folder);
      paths.push(path);
      let bytes = 0;
      const counted = async function* () {
        for await (const piece of content) {
          bytes += piece.length;
          yield piece;
        }
      };
      await pipeline(counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
      return { ...file, path, bytes };
    });
    return { ...form, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

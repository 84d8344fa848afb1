import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { BadRequest, PayloadTooLarge, Problem } from '../../contracts/problems.ts';

/** The first file of a form. A form that is broken or cut off is the caller's mistake, here and while it is read. */
export async function uploadedFile(
  request: FastifyRequest,
): Promise<{ field: string; name: string; content: AsyncIterable<Uint8Array> } | undefined> {
  const file = await request.file().catch((error: unknown) => Promise.reject(brokenForm(error)));
  return file && { field: file.fieldname, name: file.filename, content: contentOf(file) };
}

async function* contentOf({ file }: MultipartFile): AsyncGenerator<Uint8Array> {
  try {
    yield* file;
  } catch (error) {
    throw brokenForm(error);
  }
}

/** The problem behind an error of the form's reader. */
export function brokenForm(error: unknown): unknown {
  const { statusCode, message } = error as { statusCode?: number; message: string };
  if (statusCode === 413) return new PayloadTooLarge(message, { cause: error });
  // Fastify's other errors have a status as well.
  if (error instanceof Problem || statusCode !== undefined) return error;
  return new BadRequest(`the form can't be read: ${message}`, { cause: error });
}

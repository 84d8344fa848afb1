import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { BadRequest, Problem } from '../../contracts/problems.ts';

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
  // Fastify's own errors, such as a file over the limit, have a status.
  if (error instanceof Problem || (error as { statusCode?: number }).statusCode !== undefined) return error;
  return new BadRequest(`the form can't be read: ${(error as Error).message}`, { cause: error });
}

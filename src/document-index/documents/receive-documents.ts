import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { InvalidInput, PayloadTooLarge } from '../../contracts/problems.ts';
import { toInputIssues } from '../../platform/http/errors/input-issues.ts';
import { readForm } from '../../platform/uploads/read-form.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { documentName } from './document-name.ts';
import type { Upload } from './uploads.ts';

type Receiving = Pick<IndexDependencies, 'blobs' | 'settings' | 'logger'>;

/** Each source may be a field of its own. */
const mostFields = 2_000;

interface Expected<Fields extends z.ZodType> {
  bot: string;
  /** The field with the files; undefined if the form has none. */
  field?: string;
  mostFiles?: number;
  fields: Fields;
  /** Fields that may be repeated. */
  repeated?: readonly string[];
}

interface Received<Fields> {
  uploads: Upload[];
  fields: Fields;
}

/**
 * Reads a form, its files straight into the blob store, and passes both on. If that fails, the files are deleted
 * again: until then nothing else knows of them.
 */
export async function receiveDocuments<Fields extends z.ZodType, Result>(
  { blobs, settings, logger }: Receiving,
  request: FastifyRequest,
  { bot, field, mostFiles = settings.max_files, fields, repeated = [] }: Expected<Fields>,
  use: (received: Received<z.output<Fields>>) => Promise<Result>,
): Promise<Result> {
  const stored: string[] = [];
  try {
    const form = await readForm(
      request,
      { files: mostFiles, bytes: settings.max_size, fields: mostFields },
      async (file, content): Promise<Upload> => {
        if (file.field.replace(/\[\]$/, '') !== field) throw unexpected(file.field);
        const name = documentName(file.name);
        if (name === '') throw issue(file.field, 'each file needs a name');
        const blob = `index/${bot}/${randomUUID()}`;
        stored.push(blob);
        const { size, sha256 } = await blobs.put(blob, content);
        return { name, blob, type: file.type || null, bytes: size, sha256 };
      },
    );
    if (field !== undefined && form.files.length === 0) {
      throw issue(field, 'the request has no file', 'missing');
    }
    return await use({ uploads: [...form.files], fields: parseFields(form.fields, fields, repeated) });
  } catch (error) {
    const deleting = stored.map((blob) => blobs.delete(blob));
    for (const result of await Promise.allSettled(deleting)) {
      // The next start removes it.
      if (result.status === 'rejected') logger.warn({ err: result.reason }, 'an upload could not be deleted');
    }
    throw error instanceof PayloadTooLarge ? explained(error, settings) : error;
  }
}

function parseFields<Fields extends z.ZodType>(
  sent: ReadonlyMap<string, string[]>,
  schema: Fields,
  repeated: readonly string[],
): z.output<Fields> {
  const values = Object.create(null) as Record<string, unknown>;
  for (const [field, texts] of sent) {
    const name = field.replace(/\[\]$/, '');
    if (texts.length > 1 && !repeated.includes(name)) throw issue(name, 'must be sent once');
    values[name] = texts.length > 1 ? texts : texts[0];
  }
  const given = { ...values };
  const result = schema.safeParse(given);
  if (!result.success) throw new InvalidInput(toInputIssues(result.error.issues, 'body', given));
  return result.data;
}

const unexpected = (field: string) => issue(field, 'is not a file field of this request', 'extra_forbidden');

const issue = (field: string, msg: string, type = 'value_error') =>
  new InvalidInput([{ loc: ['body', field.slice(0, 200)], msg, type }]);

const explained = (error: PayloadTooLarge, { max_files, max_size }: IndexDependencies['settings']) =>
  new PayloadTooLarge(
    `${error.message}; one request takes ${max_files} files of ${Math.floor(max_size / 2 ** 20)} MiB in all`,
    { cause: error },
  );

import { z } from 'zod';

export const Timestamp = z.iso
  .datetime({ offset: true, error: 'must be a date and time with an offset, such as 2027-01-31T18:00:00Z' })
  .describe('ISO 8601 with an offset');

/** Names chosen by people: of limited length, without surrounding spaces or control characters. */
export const Name = z
  .string()
  .min(1)
  .max(256)
  .refine((name) => name.trim() === name && !/\p{Cc}/u.test(name), {
    error: 'must not start or end with a space or contain control characters',
  })
  .refine((name) => name.isWellFormed(), { error: 'must be valid Unicode' });

/** A file of a multipart form. Its bytes are streamed, so this schema only documents them. */
export const BinaryFile = z
  .unknown()
  .meta({ type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' });

/** A boolean in a query string or form: `true`, `1`, `yes`, `on` and their opposites, case-insensitive. */
export const TextBoolean = z.stringbool().meta({ type: 'boolean' });

/** A flag that defaults to false. Without the meta, the OpenAPI document would lack its default. */
export const TextFlag = TextBoolean.default(false).meta({ default: false });

export const TextInteger = z
  .codec(z.string(), z.int(), {
    decode: (text, context) => {
      if (/^-?\d{1,16}$/.test(text)) return Number(text);
      context.issues.push({
        code: 'invalid_type',
        expected: 'int',
        input: text,
        message: 'must be an integer',
      });
      return z.NEVER;
    },
    encode: (value) => String(value),
  })
  .meta({ type: 'integer' });

/** A list sent as a repeated field, as a JSON array, or separated by `,` or `+`. */
export const TextList = z.codec(z.union([z.string(), z.array(z.string())]), z.array(z.string()), {
  decode: (value) => (Array.isArray(value) ? value : [value]).flatMap(splitList),
  encode: (values) => values,
});

function splitList(text: string): string[] {
  if (text.trimStart().startsWith('[')) {
    try {
      const parsed: unknown = JSON.parse(text);
      if (Array.isArray(parsed)) return parsed.map(String);
    } catch {
      // Not JSON, so it is read as a separated list.
    }
  }
  return text
    .split(/[,+]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

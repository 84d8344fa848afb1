import type { z } from 'zod';

interface Described {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}

/**
 * Takes out of a generated schema what tells a reader nothing: the bounds of a safe integer, the pattern behind a
 * well-known format. And an answer may gain fields: only schemas that refuse unknown ones say so.
 */
export function describePlainly({ zodSchema, jsonSchema }: Described): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  const { def } = zodSchema._zod;
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
}

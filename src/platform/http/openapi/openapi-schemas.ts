import type { z } from 'zod';

interface Described {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}

/**
 * Removes noise from a generated schema: safe-integer bounds, and patterns of well-known formats. It also removes
 * `additionalProperties` from objects that are not strict, because responses may gain fields.
 */
export function describePlainly({ zodSchema, jsonSchema }: Described): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  const { def } = zodSchema._zod;
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
}

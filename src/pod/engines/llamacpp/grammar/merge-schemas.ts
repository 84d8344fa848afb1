/** The parts of JSON Schema that the grammar knows; others pass unread. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, unknown>;
  required?: string[];
  additionalProperties?: unknown;
  items?: unknown;
  prefixItems?: unknown[];
  minItems?: number;
  maxItems?: number;
  enum?: unknown;
  const?: unknown;
  anyOf?: unknown;
  oneOf?: unknown;
  allOf?: unknown;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  [other: string]: unknown;
}

/** One schema that demands what all of them demand, as far as properties and single keywords go. */
export function mergeSchemas(base: Schema, others: Schema[]): Schema {
  return others.reduce<Schema>((merged, other) => {
    const inner = Array.isArray(other.allOf)
      ? mergeSchemas({ ...other, allOf: undefined }, other.allOf as Schema[])
      : other;
    const properties = { ...merged.properties, ...inner.properties };
    const required = [...new Set([...(merged.required ?? []), ...(inner.required ?? [])])];
    const { allOf: _joined, ...rest } = inner;
    return {
      ...merged,
      ...rest,
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
    };
  }, base);
}

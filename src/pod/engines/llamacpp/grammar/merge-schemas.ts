/** The JSON Schema keywords that the grammar supports; others are ignored. */
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

/** Merges schemas into one that requires what all of them require. Only properties and single keywords are merged. */
export function mergeSchemas(base: Schema, others: Schema[]): Schema {
  const properties: Record<string, unknown> = { ...base.properties };
  const required = new Set(base.required);
  const merged: Schema = { ...base };
  for (const other of others) {
    const { allOf, ...own } = other;
    const whole = Array.isArray(allOf) ? mergeSchemas(own, allOf as Schema[]) : own;
    Object.assign(merged, whole);
    Object.assign(properties, whole.properties);
    for (const name of whole.required ?? []) required.add(name);
  }
  if (Object.keys(properties).length > 0) merged.properties = properties;
  if (required.size > 0) merged.required = [...required];
  return merged;
}

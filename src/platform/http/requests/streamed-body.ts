const streamed = new WeakSet<object>();

/** Marks the schema of a form that its route reads as a stream: it appears in the reference but validates nothing. */
export function streamedBody<Schema extends object>(schema: Schema): Schema {
  streamed.add(schema);
  return schema;
}

export const isStreamed = (schema: object) => streamed.has(schema);

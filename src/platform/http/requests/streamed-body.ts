const streamed = new WeakSet<object>();

/** Marks the schema of a form that its route reads as a stream: it stands in the reference and checks nothing. */
export function streamedBody<Schema extends object>(schema: Schema): Schema {
  streamed.add(schema);
  return schema;
}

export const isStreamed = (schema: object) => streamed.has(schema);

/** The pieces that a GGUF file is made of. */

const alignment = 32;

export function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64(bytes.length), bytes]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

export function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

export function float32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

/** How long it is with what comes before the next piece of data. */
export const padded = (length: number): number => Math.ceil(length / alignment) * alignment;
export const pad = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(padded(bytes.length) - bytes.length)]);

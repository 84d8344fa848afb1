/** A value of a GGUF header. Plain numbers are written as unsigned 32-bit integers, or as signed ones in arrays. */
export type GgufValue = string | number | boolean | { float: number } | string[] | number[];

export interface GgufTensor {
  name: string;
  /** The innermost dimension first, as the format has it. */
  dimensions: number[];
  type: 'F32' | 'F16';
}

const alignment = 32;
const valueTypes = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 };
const tensorTypes = { F32: { number: 0, bytes: 4 }, F16: { number: 1, bytes: 2 } };

/** Everything of a GGUF file (version 3) before its tensors, which follow in this order, each padded. */
export function ggufHeader(metadata: Record<string, GgufValue>, tensors: readonly GgufTensor[]): Buffer {
  const entries = Object.entries(metadata);
  const parts = [Buffer.from('GGUF'), uint32(3), uint64(tensors.length), uint64(entries.length)];
  for (const [key, value] of entries) parts.push(text(key), ...typed(value));
  let offset = 0;
  for (const tensor of tensors) {
    const { name, dimensions, type } = tensor;
    parts.push(text(name), uint32(dimensions.length), ...dimensions.map(uint64));
    parts.push(uint32(tensorTypes[type].number), uint64(offset));
    offset += padded(tensorBytes(tensor));
  }
  return pad(Buffer.concat(parts));
}

export const tensorBytes = ({ dimensions, type }: GgufTensor): number =>
  dimensions.reduce((one, other) => one * other, tensorTypes[type].bytes);

/** Fills up to where the next part of the file begins. */
export const pad = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(padded(bytes.length) - bytes.length)]);

const padded = (length: number): number => Math.ceil(length / alignment) * alignment;

function typed(value: GgufValue): Buffer[] {
  if (typeof value === 'string') return [uint32(valueTypes.string), text(value)];
  if (typeof value === 'number') return [uint32(valueTypes.uint32), uint32(value)];
  if (typeof value === 'boolean') return [uint32(valueTypes.bool), Buffer.from([value ? 1 : 0])];
  if (!Array.isArray(value)) return [uint32(valueTypes.float32), float32(value.float)];
  const items = value.map((item) => (typeof item === 'string' ? text(item) : uint32(item)));
  const type = value.every((item) => typeof item === 'string') ? valueTypes.string : valueTypes.int32;
  return [uint32(valueTypes.array), uint32(type), uint64(value.length), ...items];
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function float32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

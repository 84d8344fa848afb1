import { writeFileSync } from 'node:fs';

/** A value of GGUF's metadata, with its type where JavaScript's own does not say it. */
export type GgufValue =
  | string
  | boolean
  | { uint32: number }
  | { float32: number }
  | { strings: string[] }
  | { floats: number[] }
  | { int32s: number[] };

export interface GgufTensor {
  name: string;
  /** As NumPy lists them; GGUF has them in reverse. */
  shape: number[];
  values: Float32Array;
}

const types = { uint32: 4, int32: 5, float32: 6, boolean: 7, string: 8, array: 9 };
const alignment = 32;

/** Writes a GGUF file (version 3) with 32-bit floats. */
export function writeGguf(path: string, metadata: Record<string, GgufValue>, tensors: GgufTensor[]): void {
  const entries = Object.entries(metadata).flatMap(([key, value]) => [string(key), ...typed(value)]);
  let offset = 0;
  const infos = tensors.flatMap(({ name, shape, values }) => {
    const info = [string(name), u32(shape.length), ...shape.toReversed().map(u64), u32(0), u64(offset)];
    offset += Math.ceil(values.byteLength / alignment) * alignment;
    return info;
  });
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(Object.keys(metadata).length),
    ...entries,
    ...infos,
  ]);
  const data = tensors.map(({ values }) =>
    aligned(Buffer.from(values.buffer, values.byteOffset, values.byteLength)),
  );
  writeFileSync(path, Buffer.concat([aligned(head), ...data]));
}

function typed(value: GgufValue): Buffer[] {
  if (typeof value === 'string') return [u32(types.string), string(value)];
  if (typeof value === 'boolean') return [u32(types.boolean), Buffer.from([value ? 1 : 0])];
  if ('uint32' in value) return [u32(types.uint32), u32(value.uint32)];
  if ('float32' in value) return [u32(types.float32), f32(value.float32)];
  if ('strings' in value) return array(types.string, value.strings.map(string));
  if ('floats' in value) return array(types.float32, value.floats.map(f32));
  return array(types.int32, value.int32s.map(i32));
}

function array(type: number, items: Buffer[]): Buffer[] {
  return [u32(types.array), u32(type), u64(items.length), ...items];
}

function aligned(bytes: Buffer): Buffer {
  const rest = bytes.length % alignment;
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(alignment - rest)]);
}

function number(size: number, write: (buffer: Buffer) => void): Buffer {
  const buffer = Buffer.alloc(size);
  write(buffer);
  return buffer;
}

const u32 = (value: number) => number(4, (buffer) => buffer.writeUInt32LE(value));
const i32 = (value: number) => number(4, (buffer) => buffer.writeInt32LE(value));
const f32 = (value: number) => number(4, (buffer) => buffer.writeFloatLE(value));
const u64 = (value: number) => number(8, (buffer) => buffer.writeBigUInt64LE(BigInt(value)));
const string = (text: string) => {
  const bytes = Buffer.from(text);
  return Buffer.concat([u64(bytes.length), bytes]);
};

import { writeFileSync } from 'node:fs';
import {
  float32,
  pad,
  padded,
  text,
  uint32,
  uint64,
} from '../../src/models/conversion/adapters/gguf-bytes.ts';

/** A value of a GGUF file's header. Plain numbers are written as 32-bit unsigned integers. */
export type GgufValue = string | number | boolean | { float: number } | string[] | number[];

export interface GgufTensor {
  name: string;
  /** The innermost dimension first, as the format has it. */
  dimensions: number[];
  values: Float32Array;
}

const types = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 };

/** Writes a GGUF file (version 3) with tensors in 32-bit floats: enough for models of a few kilobytes in tests. */
export function writeGguf(path: string, metadata: Record<string, GgufValue>, tensors: GgufTensor[]): void {
  const header: Buffer[] = [
    Buffer.from('GGUF'),
    uint32(3),
    uint64(tensors.length),
    uint64(Object.keys(metadata).length),
  ];
  for (const [key, value] of Object.entries(metadata)) header.push(text(key), ...typed(value));
  let offset = 0;
  for (const { name, dimensions, values } of tensors) {
    header.push(text(name), uint32(dimensions.length), ...dimensions.map(uint64), uint32(0), uint64(offset));
    offset += padded(values.byteLength);
  }
  const head = Buffer.concat(header);
  const data = tensors.map(({ values }) =>
    pad(Buffer.from(values.buffer, values.byteOffset, values.byteLength)),
  );
  writeFileSync(path, Buffer.concat([pad(head), ...data]));
}

function typed(value: GgufValue): Buffer[] {
  if (typeof value === 'string') return [uint32(types.string), text(value)];
  if (typeof value === 'number') return [uint32(types.uint32), uint32(value)];
  if (typeof value === 'boolean') return [uint32(types.bool), Buffer.from([value ? 1 : 0])];
  if (!Array.isArray(value)) return [uint32(types.float32), float32(value.float)];
  const strings = value.every((item) => typeof item === 'string');
  const items = value.map((item) => (typeof item === 'string' ? text(item) : uint32(item)));
  return [uint32(types.array), uint32(strings ? types.string : types.int32), uint64(value.length), ...items];
}

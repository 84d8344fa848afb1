import { writeFileSync } from 'node:fs';
import { type GgufValue, ggufHeader, pad } from '../../src/models/conversion/adapters/gguf-header.ts';

export interface GgufTensor {
  name: string;
  /** The innermost dimension first, as the format has it. */
  dimensions: number[];
  values: Float32Array;
}

/** Writes a GGUF file with tensors in 32-bit floats: enough for models of a few kilobytes in tests. */
export function writeGguf(path: string, metadata: Record<string, GgufValue>, tensors: GgufTensor[]): void {
  const header = ggufHeader(
    metadata,
    tensors.map((tensor) => ({ ...tensor, type: 'F32' })),
  );
  const data = tensors.map(({ values }) =>
    pad(Buffer.from(values.buffer, values.byteOffset, values.byteLength)),
  );
  writeFileSync(path, Buffer.concat([header, ...data]));
}

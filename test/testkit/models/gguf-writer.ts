import { writeFileSync } from 'node:fs';
import { type GgufValue, ggufHeader, pad } from '../../../src/models/conversion/adapters/gguf-header.ts';

export interface GgufTensor {
  name: string;
  /** Innermost dimension first, as in the format. */
  dimensions: number[];
  values: Float32Array;
}

/** Writes a GGUF file with tensors of 32-bit floats, for tiny test models. */
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

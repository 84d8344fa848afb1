const sizes: Record<string, number> = { F32: 4, F16: 2, BF16: 2, I32: 4 };

export interface TestTensor {
  dtype: string;
  shape: number[];
  /** Default: zeros. */
  data?: Buffer;
}

/** A safetensors file with these tensors. */
export function safetensorsOf(tensors: Record<string, TestTensor>): Buffer {
  let offset = 0;
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  const parts: Buffer[] = [];
  for (const [name, { dtype, shape, data }] of Object.entries(tensors)) {
    const bytes = data ?? Buffer.alloc(shape.reduce((one, other) => one * other, sizes[dtype] ?? 1));
    header[name] = { dtype, shape, data_offsets: [offset, offset + bytes.length] };
    offset += bytes.length;
    parts.push(bytes);
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...parts]);
}

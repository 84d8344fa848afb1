import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { float32, pad, padded, text, uint32, uint64 } from './gguf-bytes.ts';

/** A text, a float32 or an unsigned 32-bit integer: all that an adapter's header needs. */
export type HeaderValue = string | { float: number } | number;

export interface TensorPlan {
  name: string;
  /** The innermost dimension first, as the format has it. */
  dimensions: number[];
  type: 'F32' | 'F16';
  /** Its bytes, made when it is its turn: adapters may be large. */
  bytes(): Promise<Buffer>;
}

const typeNumbers = { F32: 0, F16: 1 };
const elementBytes = { F32: 4, F16: 2 };

/** Writes a GGUF file (version 3), whole or not at all. */
export async function writeGgufFile(
  path: string,
  header: Record<string, HeaderValue>,
  tensors: readonly TensorPlan[],
): Promise<void> {
  const partial = `${path}.partial`;
  const handle = await open(partial, 'w');
  try {
    await writeAll(handle, header, tensors);
    await handle.datasync();
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await rename(partial, path);
}

async function writeAll(
  handle: FileHandle,
  header: Record<string, HeaderValue>,
  tensors: readonly TensorPlan[],
): Promise<void> {
  const entries = Object.entries(header);
  const parts = [Buffer.from('GGUF'), uint32(3), uint64(tensors.length), uint64(entries.length)];
  for (const [key, value] of entries) parts.push(text(key), ...typed(value));
  let offset = 0;
  for (const tensor of tensors) {
    const { name, dimensions, type } = tensor;
    parts.push(text(name), uint32(dimensions.length), ...dimensions.map(uint64));
    parts.push(uint32(typeNumbers[type]), uint64(offset));
    offset += padded(sizeOf(tensor));
  }
  await handle.writeFile(pad(Buffer.concat(parts)));
  for (const tensor of tensors) {
    const bytes = await tensor.bytes();
    if (bytes.length !== sizeOf(tensor)) throw new RangeError(`${tensor.name} has ${bytes.length} bytes`);
    await handle.writeFile(pad(bytes));
  }
}

const sizeOf = ({ dimensions, type }: TensorPlan) =>
  dimensions.reduce((one, other) => one * other, elementBytes[type]);

function typed(value: HeaderValue): Buffer[] {
  if (typeof value === 'string') return [uint32(8), text(value)];
  if (typeof value === 'number') return [uint32(4), uint32(value)];
  return [uint32(6), float32(value.float)];
}

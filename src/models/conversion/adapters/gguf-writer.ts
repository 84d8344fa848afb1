import { open, rename, rm } from 'node:fs/promises';
import { type GgufTensor, type GgufValue, ggufHeader, pad, tensorBytes } from './gguf-header.ts';

export interface TensorPlan extends GgufTensor {
  /** Its content, made only when it is written: adapters may be large. */
  bytes(): Promise<Buffer>;
}

/** Writes a GGUF file, completely or not at all. */
export async function writeGgufFile(
  path: string,
  metadata: Record<string, GgufValue>,
  tensors: readonly TensorPlan[],
): Promise<void> {
  const partial = `${path}.partial`;
  const handle = await open(partial, 'w');
  try {
    await handle.writeFile(ggufHeader(metadata, tensors));
    for (const tensor of tensors) {
      const bytes = await tensor.bytes();
      if (bytes.length !== tensorBytes(tensor)) {
        throw new RangeError(`${tensor.name} has ${bytes.length} bytes`);
      }
      await handle.writeFile(pad(bytes));
    }
    await handle.datasync();
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await rename(partial, path);
}

import { z } from 'zod';
import { BadRequest } from '../../contracts/problems.ts';
import { FileWindow } from './file-window.ts';

export interface SafetensorInfo {
  name: string;
  dtype: string;
  shape: number[];
  /** Offsets in the file of its first byte, and of the byte after its last. */
  start: number;
  end: number;
}

const Entry = z.object({
  dtype: z.string(),
  shape: z.array(z.int().nonnegative()),
  data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
});

const longestHeader = 100 * 2 ** 20;

/** The tensors of a safetensors file, from its header alone. */
export function readSafetensors(path: string): Promise<SafetensorInfo[]> {
  const damaged = () => new BadRequest(`${path.split('/').at(-1)} is not a readable safetensors file`);
  return FileWindow.use(path, async (window) => {
    const length = Number((await window.take(8)).readBigUInt64LE());
    if (length > longestHeader) throw damaged();
    const header = parse(await window.take(length));
    if (!header) throw damaged();
    const data = 8 + length;
    return Object.entries(header).flatMap(([name, value]) => {
      if (name === '__metadata__') return [];
      const entry = Entry.safeParse(value);
      if (!entry.success) throw damaged();
      const { dtype, shape, data_offsets } = entry.data;
      return [{ name, dtype, shape, start: data + data_offsets[0], end: data + data_offsets[1] }];
    });
  });
}

function parse(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const header: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof header === 'object' && header !== null ? (header as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

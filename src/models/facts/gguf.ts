import { BadRequest } from '../../contracts/problems.ts';
import { FileWindow } from './file-window.ts';

export type GgufScalar = string | number | boolean;

export interface GgufTensorInfo {
  name: string;
  /** The innermost dimension first, as the format has it. */
  dimensions: number[];
  /** Its number in ggml's list of types: 0 is float32, 1 float16. */
  type: number;
  /** Offset of its first byte in the file. */
  offset: number;
}

export interface GgufHeader {
  /** Without long arrays; only vocabularies are long. */
  metadata: Map<string, GgufScalar | GgufScalar[]>;
  tensors: GgufTensorInfo[];
}

const longestArray = 1024;
const longestText = 2 ** 24;
const arrayType = 9;
const textType = 8;
const fixedSizes: Record<number, number> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};

/** Reads the header of a GGUF file (version 2 or 3), without its vocabulary. */
export function readGguf(path: string): Promise<GgufHeader> {
  return FileWindow.use(path, async (window) => {
    const start = await window.take(8);
    const version = start.readUInt32LE(4);
    if (start.toString('latin1', 0, 4) !== 'GGUF' || version < 2 || version > 3) {
      throw new BadRequest(`${path.split('/').at(-1)} is not a readable GGUF file (version 2 or 3)`);
    }
    const tensorCount = await count(window, 2 ** 20);
    const entryCount = await count(window, 2 ** 20);
    const metadata: GgufHeader['metadata'] = new Map();
    for (let entry = 0; entry < entryCount; entry++) {
      const key = await text(window);
      const value = await typed(window, (await window.take(4)).readUInt32LE());
      if (value !== undefined) metadata.set(key, value);
    }
    const tensors: GgufTensorInfo[] = [];
    for (let tensor = 0; tensor < tensorCount; tensor++) tensors.push(await tensorInfo(window));
    const alignment = Number(metadata.get('general.alignment') ?? 32);
    const data = Math.ceil(window.position / alignment) * alignment;
    for (const tensor of tensors) tensor.offset += data;
    return { metadata, tensors };
  });
}

async function tensorInfo(window: FileWindow): Promise<GgufTensorInfo> {
  const name = await text(window);
  const dimensions: number[] = [];
  const rank = (await window.take(4)).readUInt32LE();
  if (rank > 8) throw new BadRequest(`the GGUF file is damaged: '${name}' has ${rank} dimensions`);
  for (let axis = 0; axis < rank; axis++) dimensions.push(await count(window, Number.MAX_SAFE_INTEGER));
  const type = (await window.take(4)).readUInt32LE();
  return { name, dimensions, type, offset: await count(window, Number.MAX_SAFE_INTEGER) };
}

async function typed(window: FileWindow, type: number): Promise<GgufScalar | GgufScalar[] | undefined> {
  if (type === textType) return text(window);
  if (type !== arrayType) return scalar(await window.take(sizeOf(type)), type);
  const itemType = (await window.take(4)).readUInt32LE();
  const length = await count(window, 2 ** 32);
  const kept = length <= longestArray && itemType !== arrayType;
  if (itemType !== textType && !kept) {
    window.skip(length * sizeOf(itemType));
    return undefined;
  }
  const items: GgufScalar[] = [];
  for (let item = 0; item < length; item++) {
    if (!kept) window.skip(await count(window, longestText));
    else items.push((await typed(window, itemType)) as GgufScalar);
  }
  return kept ? items : undefined;
}

function sizeOf(type: number): number {
  const size = fixedSizes[type];
  if (size === undefined) throw new BadRequest(`the GGUF file contains a value of unknown type ${type}`);
  return size;
}

function scalar(bytes: Buffer, type: number): GgufScalar {
  switch (type) {
    case 0:
      return bytes.readUInt8();
    case 1:
      return bytes.readInt8();
    case 2:
      return bytes.readUInt16LE();
    case 3:
      return bytes.readInt16LE();
    case 4:
      return bytes.readUInt32LE();
    case 5:
      return bytes.readInt32LE();
    case 6:
      return bytes.readFloatLE();
    case 7:
      return bytes.readUInt8() !== 0;
    case 10:
      return Number(bytes.readBigUInt64LE());
    case 11:
      return Number(bytes.readBigInt64LE());
    default:
      return bytes.readDoubleLE();
  }
}

async function text(window: FileWindow): Promise<string> {
  return (await window.take(await count(window, longestText))).toString('utf8');
}

async function count(window: FileWindow, most: number): Promise<number> {
  const value = Number((await window.take(8)).readBigUInt64LE());
  if (value > most) throw new BadRequest(`the GGUF file is damaged: a count in its header is ${value}`);
  return value;
}

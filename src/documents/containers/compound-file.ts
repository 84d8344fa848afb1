import { Unreadable } from '../unreadable.ts';

/** A stream or storage of an OLE compound file, with its path below the root. */
export interface CompoundEntry {
  path: string;
  size: number;
  isStream: boolean;
}

export interface CompoundFile {
  entries: CompoundEntry[];
  read(path: string): Buffer | undefined;
}

const noSector = 0xfffffffa;
const magic = 'd0cf11e0a1b11ae1';

export const isCompoundFile = (head: Buffer): boolean => head.subarray(0, 8).toString('hex') === magic;

/** Opens the container of DOC, XLS, PPT, MSG and encrypted Office files ([MS-CFB]). */
export function openCompoundFile(bytes: Buffer): CompoundFile {
  try {
    return new Compound(bytes);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable('invalid', 'The file is damaged or incomplete.', { cause: error });
  }
}

class Compound implements CompoundFile {
  readonly entries: CompoundEntry[] = [];
  readonly #bytes: Buffer;
  readonly #sectorSize: number;
  readonly #miniSize: number;
  readonly #cutoff: number;
  readonly #fat: number[] = [];
  readonly #miniFat: number[] = [];
  readonly #starts = new Map<string, { start: number; size: number }>();
  #miniStream: Buffer = Buffer.alloc(0);

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    if (!isCompoundFile(bytes)) throw new Error('no compound file');
    this.#sectorSize = 1 << bytes.readUInt16LE(30);
    this.#miniSize = 1 << bytes.readUInt16LE(32);
    this.#cutoff = bytes.readUInt32LE(56);
    if (this.#sectorSize > 4096 || this.#sectorSize < 64) throw new Error('bad sector size');
    this.#readFat();
    const directory = this.#chain(bytes.readUInt32LE(48), this.#fat, Number.POSITIVE_INFINITY);
    for (const sector of this.#sectors(bytes.readUInt32LE(60), this.#fat)) {
      for (let at = 0; at < sector.length; at += 4) this.#miniFat.push(sector.readUInt32LE(at));
    }
    this.#readDirectory(directory);
  }

  read(path: string): Buffer | undefined {
    const found = this.#starts.get(path);
    if (!found) return undefined;
    if (found.size >= this.#cutoff) return this.#chain(found.start, this.#fat, found.size);
    const parts: Buffer[] = [];
    let sector = found.start;
    for (let got = 0; got < found.size && sector < noSector; got += this.#miniSize) {
      parts.push(this.#miniStream.subarray(sector * this.#miniSize, (sector + 1) * this.#miniSize));
      sector = this.#miniFat[sector] ?? noSector;
    }
    return Buffer.concat(parts).subarray(0, found.size);
  }

  #sector(id: number): Buffer {
    const start = (id + 1) * this.#sectorSize;
    return this.#bytes.subarray(start, start + this.#sectorSize);
  }

  /** The sectors of a chain; a chain that runs in a circle ends when it is longer than the file. */
  *#sectors(start: number, table: number[]): Generator<Buffer> {
    let left = Math.ceil(this.#bytes.length / this.#sectorSize);
    for (let id = start; id < noSector && left-- > 0; id = table[id] ?? noSector) yield this.#sector(id);
  }

  #chain(start: number, table: number[], size: number): Buffer {
    const parts: Buffer[] = [];
    let got = 0;
    for (const sector of this.#sectors(start, table)) {
      parts.push(sector);
      got += sector.length;
      if (got >= size) break;
    }
    return Buffer.concat(parts).subarray(0, Math.min(got, size));
  }

  #readFat(): void {
    const ids: number[] = [];
    for (let at = 76; at < 512; at += 4) ids.push(this.#bytes.readUInt32LE(at));
    let next = this.#bytes.readUInt32LE(68);
    let left = Math.ceil(this.#bytes.length / this.#sectorSize);
    while (next < noSector && left-- > 0) {
      const sector = this.#sector(next);
      for (let at = 0; at < sector.length - 4; at += 4) ids.push(sector.readUInt32LE(at));
      next = sector.readUInt32LE(sector.length - 4);
    }
    for (const id of ids) {
      if (id >= noSector) continue;
      const sector = this.#sector(id);
      for (let at = 0; at + 4 <= sector.length; at += 4) this.#fat.push(sector.readUInt32LE(at));
    }
  }

  #readDirectory(directory: Buffer): void {
    const records = Array.from({ length: Math.floor(directory.length / 128) }, (_, index) => {
      const record = directory.subarray(index * 128, (index + 1) * 128);
      const nameLength = Math.max(0, Math.min(64, record.readUInt16LE(64)) - 2);
      return {
        name: record.toString('utf16le', 0, nameLength),
        type: record[66],
        left: record.readUInt32LE(68),
        right: record.readUInt32LE(72),
        child: record.readUInt32LE(76),
        start: record.readUInt32LE(116),
        size: record.readUInt32LE(120),
      };
    });
    const root = records[0];
    if (!root) throw new Error('no directory');
    this.#miniStream = this.#chain(root.start, this.#fat, root.size);
    const seen = new Set<number>();
    const waiting: [number, string][] = [[root.child, '']];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [id, folder] = next;
      const record = records[id];
      if (!record || seen.has(id)) continue;
      seen.add(id);
      const path = folder + record.name;
      waiting.push([record.left, folder], [record.right, folder]);
      if (record.type === 1) waiting.push([record.child, `${path}/`]);
      this.entries.push({ path, size: record.size, isStream: record.type === 2 });
      if (record.type === 2) this.#starts.set(path, { start: record.start, size: record.size });
    }
  }
}

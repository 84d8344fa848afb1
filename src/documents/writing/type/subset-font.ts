import type { TrueTypeFont } from './true-type.ts';

const kept = ['cvt ', 'fpgm', 'prep'];

/** A font file of these glyphs alone, in this order; the first should be glyph 0. */
export function subsetFont(font: TrueTypeFont, glyphs: readonly number[]): Buffer {
  const { outlines, sources } = collectOutlines(font, glyphs);
  const places = Buffer.alloc(4 * (outlines.length + 1));
  let size = 0;
  outlines.forEach((outline, at) => {
    size += outline.length;
    places.writeUInt32BE(size, 4 * (at + 1));
  });
  const metrics = Buffer.alloc(4 * sources.length);
  sources.forEach((glyph, at) => {
    metrics.writeUInt16BE(font.advanceOf(glyph), 4 * at);
    metrics.writeInt16BE(font.sideBearingOf(glyph), 4 * at + 2);
  });
  const changed = (name: string, change: (table: Buffer) => void) => {
    const table = Buffer.from(font.table(name));
    change(table);
    return table;
  };
  const tables = new Map<string, Buffer>([
    ['glyf', Buffer.concat(outlines)],
    ['head', changed('head', (head) => head.writeInt16BE(1, 50))],
    ['hhea', changed('hhea', (hhea) => hhea.writeUInt16BE(sources.length, 34))],
    ['hmtx', metrics],
    ['loca', places],
    ['maxp', changed('maxp', (maxp) => maxp.writeUInt16BE(sources.length, 4))],
  ]);
  for (const name of kept) if (font.table(name).length > 0) tables.set(name, font.table(name));
  return writeTables(tables);
}

/** Glyphs that are made of others bring those with them, under new numbers. */
function collectOutlines(font: TrueTypeFont, glyphs: readonly number[]) {
  const sources = [...glyphs];
  const numbers = new Map<number, number>();
  sources.forEach((glyph, at) => {
    if (!numbers.has(glyph)) numbers.set(glyph, at);
  });
  const outlines: Buffer[] = [];
  // Grows while it is walked.
  for (const glyph of sources) {
    const outline = Buffer.from(font.outlineOf(glyph));
    for (const place of componentsOf(outline)) {
      const component = outline.readUInt16BE(place);
      if (!numbers.has(component)) {
        numbers.set(component, sources.length);
        sources.push(component);
      }
      outline.writeUInt16BE(numbers.get(component) ?? 0, place);
    }
    outlines.push(
      outline.length % 4 === 0 ? outline : Buffer.concat([outline, Buffer.alloc(4 - (outline.length % 4))]),
    );
  }
  return { outlines, sources };
}

/** Where a compound glyph names its components. */
function* componentsOf(outline: Buffer): Generator<number> {
  if (outline.length === 0 || outline.readInt16BE(0) >= 0) return;
  let flags = 0x20;
  for (let at = 10; flags & 0x20; ) {
    flags = outline.readUInt16BE(at);
    yield at + 2;
    const scale = flags & 0x8 ? 2 : flags & 0x40 ? 4 : flags & 0x80 ? 8 : 0;
    at += 4 + (flags & 0x1 ? 4 : 2) + scale;
  }
}

function writeTables(tables: ReadonlyMap<string, Buffer>): Buffer {
  const sorted = [...tables].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const power = 2 ** Math.floor(Math.log2(sorted.length));
  const header = Buffer.alloc(12 + 16 * sorted.length);
  header.writeUInt32BE(0x00010000, 0);
  header.writeUInt16BE(sorted.length, 4);
  header.writeUInt16BE(16 * power, 6);
  header.writeUInt16BE(Math.log2(power), 8);
  header.writeUInt16BE(16 * (sorted.length - power), 10);
  const parts = [header];
  let size = header.length;
  sorted.forEach(([name, table], at) => {
    const padded = Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)]);
    const entry = 12 + 16 * at;
    header.write(name, entry, 'latin1');
    header.writeUInt32BE(checksum(padded), entry + 4);
    header.writeUInt32BE(size, entry + 8);
    header.writeUInt32BE(table.length, entry + 12);
    parts.push(padded);
    size += padded.length;
  });
  return Buffer.concat(parts);
}

function checksum(table: Buffer): number {
  let sum = 0;
  for (let at = 0; at < table.length; at += 4) sum = (sum + table.readUInt32BE(at)) >>> 0;
  return sum;
}

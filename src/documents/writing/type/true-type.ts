/** A TrueType font file: which glyph shows a character, how wide it is, and its outline. */
export interface TrueTypeFont {
  /** Tables that a subset keeps as they are, or with few changes. */
  table(name: string): Buffer;
  unitsPerEm: number;
  ascent: number;
  descent: number;
  box: [number, number, number, number];
  /** 0 where the font has no such character. */
  glyphOf(character: number): number;
  /** In font units. */
  advanceOf(glyph: number): number;
  sideBearingOf(glyph: number): number;
  outlineOf(glyph: number): Buffer;
}

export function readTrueType(file: Buffer): TrueTypeFont {
  const tables = new Map<string, Buffer>();
  for (let at = 0; at < file.readUInt16BE(4); at++) {
    const entry = 12 + 16 * at;
    const start = file.readUInt32BE(entry + 8);
    tables.set(
      file.toString('latin1', entry, entry + 4),
      file.subarray(start, start + file.readUInt32BE(entry + 12)),
    );
  }
  const table = (name: string) => tables.get(name) ?? Buffer.alloc(0);
  const head = table('head');
  const metrics = table('hmtx');
  const places = table('loca');
  const outlines = table('glyf');
  const wide = head.readInt16BE(50) === 1;
  const measured = table('hhea').readUInt16BE(34);
  const placeOf = (glyph: number) =>
    wide ? places.readUInt32BE(4 * glyph) : 2 * places.readUInt16BE(2 * glyph);
  const glyphs = readCharacterMap(table('cmap'));
  return {
    table,
    unitsPerEm: head.readUInt16BE(18),
    ascent: table('hhea').readInt16BE(4),
    descent: table('hhea').readInt16BE(6),
    box: [head.readInt16BE(36), head.readInt16BE(38), head.readInt16BE(40), head.readInt16BE(42)],
    glyphOf: (character) => glyphs.get(character) ?? 0,
    advanceOf: (glyph) => metrics.readUInt16BE(4 * Math.min(glyph, measured - 1)),
    sideBearingOf: (glyph) =>
      glyph < measured
        ? metrics.readInt16BE(4 * glyph + 2)
        : metrics.readInt16BE(4 * measured + 2 * (glyph - measured)),
    outlineOf: (glyph) => outlines.subarray(placeOf(glyph), placeOf(glyph + 1)),
  };
}

/** Subtables of formats 4 and 12 hold Unicode; the later one of a file has more of it. */
function readCharacterMap(table: Buffer): Map<number, number> {
  const glyphs = new Map<number, number>();
  for (let at = 0; at < table.readUInt16BE(2); at++) {
    const subtable = table.subarray(table.readUInt32BE(4 + 8 * at + 4));
    const format = subtable.readUInt16BE(0);
    if (format === 4) readSegments(subtable, glyphs);
    else if (format === 12) readGroups(subtable, glyphs);
  }
  return glyphs;
}

function readSegments(table: Buffer, glyphs: Map<number, number>): void {
  const doubled = table.readUInt16BE(6);
  for (let at = 0; at < doubled; at += 2) {
    const end = table.readUInt16BE(14 + at);
    const start = table.readUInt16BE(16 + doubled + at);
    const delta = table.readUInt16BE(16 + 2 * doubled + at);
    const place = 16 + 3 * doubled + at;
    const offset = table.readUInt16BE(place);
    for (let character = start; character <= end && character < 0xffff; character++) {
      const raw = offset === 0 ? character : table.readUInt16BE(place + offset + 2 * (character - start));
      if (raw !== 0) glyphs.set(character, (raw + delta) & 0xffff);
    }
  }
}

function readGroups(table: Buffer, glyphs: Map<number, number>): void {
  for (let at = 0; at < table.readUInt32BE(12); at++) {
    const group = 16 + 12 * at;
    const start = table.readUInt32BE(group);
    const first = table.readUInt32BE(group + 8);
    for (let character = start; character <= table.readUInt32BE(group + 4); character++)
      glyphs.set(character, first + character - start);
  }
}

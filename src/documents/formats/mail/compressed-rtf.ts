const dictionaryStart =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';

/** Unpacks the RTF of an Outlook message ([MS-OXRTFCP]). */
export function unpackRtf(packed: Buffer, limit: number): Buffer {
  if (packed.length < 16) return Buffer.alloc(0);
  const size = Math.min(packed.readUInt32LE(4), limit);
  const kind = packed.toString('latin1', 8, 12);
  if (kind === 'MELA') return packed.subarray(16, 16 + size);
  const window = Buffer.alloc(4_096);
  let place = window.write(dictionaryStart, 'latin1');
  const result = Buffer.alloc(size);
  let written = 0;
  let at = 16;
  const put = (byte: number) => {
    if (written < size) result[written++] = byte;
    window[place] = byte;
    place = (place + 1) % 4_096;
  };
  while (at < packed.length && written < size) {
    const control = packed[at++] ?? 0;
    for (let bit = 0; bit < 8 && at < packed.length; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(packed[at++] ?? 0);
        continue;
      }
      const token = ((packed[at] ?? 0) << 8) | (packed[at + 1] ?? 0);
      at += 2;
      const offset = token >> 4;
      if (offset === place) return result.subarray(0, written);
      for (let step = 0; step < (token & 15) + 2; step++) put(window[(offset + step) % 4_096] ?? 0);
    }
  }
  return result.subarray(0, written);
}

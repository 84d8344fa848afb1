/** Reads bytes to their end, or until there are too many of them. */
export async function readBytes(
  source: AsyncIterable<Uint8Array>,
  most: number,
): Promise<{ bytes: Buffer; whole: boolean }> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source) {
    pieces.push(piece);
    length += piece.length;
    if (length > most) return { bytes: Buffer.concat(pieces).subarray(0, most), whole: false };
  }
  return { bytes: Buffer.concat(pieces), whole: true };
}

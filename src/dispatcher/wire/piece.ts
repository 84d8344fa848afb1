/** Some bytes of a body: as text, a character (latin1) for each, where they are few; else as they are. */
export type Piece = string | Buffer;

/** Beyond this, copying bytes into a string costs more than it saves. */
const longestText = 8192;

/** The bytes from `start` to `end`, in memory of their own. */
export function pieceOf(bytes: Buffer, start: number, end: number): Piece {
  if (end - start <= longestText) return bytes.toString('latin1', start, end);
  return Buffer.from(bytes.subarray(start, end));
}

/** Whether the bytes are few enough to be sent as text, joined with what goes before them. */
export function isShort(bytes: Buffer): boolean {
  return bytes.length <= longestText;
}

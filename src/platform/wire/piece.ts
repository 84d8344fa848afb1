/** Some bytes of a body. Short pieces are latin1 strings, one character per byte; longer ones are buffers. */
export type Piece = string | Buffer;

/** Beyond this length, copying bytes into a string costs more than it saves. */
const longestText = 8192;

/** Copies the bytes from `start` to `end`, so that their memory can be reused. */
export function pieceOf(bytes: Buffer, start: number, end: number): Piece {
  if (end - start <= longestText) return bytes.toString('latin1', start, end);
  return Buffer.from(bytes.subarray(start, end));
}

/** Whether the bytes are few enough to be sent as text, in one write with what precedes them. */
export function isShort(bytes: Buffer): boolean {
  return bytes.length <= longestText;
}

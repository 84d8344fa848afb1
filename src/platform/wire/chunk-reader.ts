import { type Piece, pieceOf } from './piece.ts';

const [lineFeed, carriageReturn, semicolon, space, tab] = [0x0a, 0x0d, 0x3b, 0x20, 0x09] as const;
const mostDigits = 12;
const mostQuickDigits = 6;
/** The most bytes of trailers and chunk extensions that are skipped before the body is refused. */
const mostSkipped = 16_384;

type Stage =
  | 'size'
  | 'extension'
  | 'size end'
  | 'data'
  | 'data return'
  | 'data end'
  | 'trailer'
  | 'trailer end'
  | 'end';

/** Decodes a chunked body (RFC 9112, section 7.1). */
export class ChunkReader {
  readonly #onData: (piece: Piece) => void;
  #stage: Stage = 'size';
  #size = 0;
  #digits = 0;
  #skipped = 0;
  /** Whether the current trailer line has any characters; an empty line ends the body. */
  #inLine = false;

  constructor(onData: (piece: Piece) => void) {
    this.#onData = onData;
  }

  begin(): void {
    this.#stage = 'size';
    this.#size = this.#digits = this.#skipped = 0;
    this.#inLine = false;
  }

  /** Reads the bytes from `at` to `end`. Returns the position after the body once the body is complete. */
  feed(bytes: Buffer, at: number, end: number): number | 'more' | 'broken' {
    while (at < end) {
      if (this.#stage === 'data') {
        const dataEnd = Math.min(end, at + this.#size);
        this.#size -= dataEnd - at;
        this.#onData(pieceOf(bytes, at, dataEnd));
        if (this.#size === 0) this.#stage = 'data return';
        at = dataEnd;
        continue;
      }
      if (this.#stage === 'size' && this.#digits === 0) {
        const next = this.#readWhole(bytes, at, end);
        if (next > at) {
          at = next;
          continue;
        }
      }
      if (!this.#step(bytes[at++] as number)) return 'broken';
      if (this.#stage === 'end') return at;
    }
    return 'more';
  }

  /**
   * Fast path for a chunk that is complete, as most are. Returns where the next chunk starts, or `at` if this one has
   * to be read byte by byte.
   */
  #readWhole(bytes: Buffer, at: number, end: number): number {
    let size = 0;
    let data = at;
    for (; data < end && data < at + mostQuickDigits; data++) {
      const digit = hexDigit(bytes[data] as number);
      if (digit < 0) break;
      size = size * 16 + digit;
    }
    const dataEnd = data + 2 + size;
    const isWhole = size > 0 && dataEnd + 2 <= end && isLineEnd(bytes, data) && isLineEnd(bytes, dataEnd);
    if (!isWhole) return at;
    this.#onData(pieceOf(bytes, data + 2, dataEnd));
    return dataEnd + 2;
  }

  /** Reads one byte of the framing; returns false if it is not allowed here. */
  #step(byte: number): boolean {
    switch (this.#stage) {
      case 'size':
        return this.#readSize(byte);
      case 'extension':
        if (byte === carriageReturn) this.#stage = 'size end';
        return byte !== lineFeed && ++this.#skipped <= mostSkipped;
      case 'size end':
        this.#stage = this.#size === 0 ? 'trailer' : 'data';
        return byte === lineFeed;
      case 'data return':
        this.#stage = 'data end';
        return byte === carriageReturn;
      case 'data end':
        this.#stage = 'size';
        this.#digits = this.#skipped = 0;
        return byte === lineFeed;
      case 'trailer':
        if (byte === carriageReturn) this.#stage = 'trailer end';
        else this.#inLine = true;
        return byte !== lineFeed && ++this.#skipped <= mostSkipped;
      default:
        this.#stage = this.#inLine ? 'trailer' : 'end';
        this.#inLine = false;
        return byte === lineFeed;
    }
  }

  #readSize(byte: number): boolean {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#size = this.#size * 16 + digit;
      return ++this.#digits <= mostDigits;
    }
    if (byte === semicolon || byte === space || byte === tab) this.#stage = 'extension';
    else if (byte === carriageReturn) this.#stage = 'size end';
    else return false;
    return this.#digits > 0;
  }
}

function isLineEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === carriageReturn && bytes[at + 1] === lineFeed;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

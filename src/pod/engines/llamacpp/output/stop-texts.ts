/** A piece of the answer, with the data of its tokens. */
export interface Piece<Extra> {
  text: string;
  extras: Extra[];
}

export interface Released<Extra> extends Piece<Extra> {
  /** The stop text that ended the answer, if any. */
  stop?: string;
}

/**
 * Finds stop texts across token boundaries. Text that may be the start of one is held back; the rest is released at
 * once. A token's data is released with its first character.
 */
export class StopTexts<Extra> {
  readonly #stops: string[];
  #held: Piece<Extra>[] = [];

  constructor(stops: string[]) {
    this.#stops = stops.filter((stop) => stop !== '');
  }

  push(piece: Piece<Extra>): Released<Extra> {
    if (this.#stops.length === 0) return piece;
    this.#held.push(piece);
    const text = joined(this.#held);
    const found = this.#stops
      .map((stop) => ({ stop, at: text.indexOf(stop) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at || b.stop.length - a.stop.length)[0];
    if (found) return { ...this.#release(found.at), stop: found.stop };
    return this.#release(text.length - longestPartialStop(text, this.#stops));
  }

  /** Releases the held text at the end of an answer without a stop text. */
  flush(): Released<Extra> {
    const all = { text: joined(this.#held), extras: this.#held.flatMap((held) => held.extras) };
    this.#held = [];
    return all;
  }

  #release(length: number): Released<Extra> {
    const out: Piece<Extra> = { text: '', extras: [] };
    for (let piece = this.#held[0]; piece && out.text.length < length; piece = this.#held[0]) {
      const room = length - out.text.length;
      out.text += piece.text.slice(0, room);
      out.extras.push(...piece.extras);
      if (piece.text.length <= room) this.#held.shift();
      else this.#held[0] = { text: piece.text.slice(room), extras: [] };
    }
    return out;
  }
}

const joined = (pieces: Piece<unknown>[]): string => pieces.map((piece) => piece.text).join('');

/** Length of the longest suffix of `text` that is a prefix of one of `stops`. */
function longestPartialStop(text: string, stops: string[]): number {
  const longest = Math.min(text.length, Math.max(...stops.map((stop) => stop.length)) - 1);
  for (let length = longest; length > 0; length--) {
    const end = text.slice(-length);
    if (stops.some((stop) => stop.startsWith(end))) return length;
  }
  return 0;
}

import { readUsage, type TokenCounts } from '../../../contracts/openai/read-usage.ts';
import type { Piece } from '../../wire/piece.ts';

/** About right for English text, and near enough for other languages. */
export const bytesPerToken = 4;

/** The last few pieces of an answer: where the usage stands. */
export class AnswerTail {
  #last: Piece = '';
  #beforeLast: Piece = '';
  #thirdLast: Piece = '';

  add(piece: Piece): void {
    this.#thirdLast = this.#beforeLast;
    this.#beforeLast = this.#last;
    this.#last = piece;
  }

  usage(): TokenCounts | undefined {
    const found = readUsage(endOf(this.#last));
    if (found || this.#beforeLast.length === 0) return found;
    return readUsage(endOf(this.#thirdLast) + endOf(this.#beforeLast) + endOf(this.#last));
  }

  /** Whether what was sent so far ends with a whole event. */
  endsEvent(): boolean {
    return /\n\r?\n$/.test(endOf(this.#last));
  }
}

/** How many events end in the piece. */
export function eventsIn(piece: Piece): number {
  let count = 0;
  for (let at = piece.indexOf('\n\n'); at >= 0; at = piece.indexOf('\n\n', at + 2)) count++;
  return count;
}

/** Usage is near the end; of a large piece the rest is not looked at. */
const longestTail = 4096;

function endOf(piece: Piece): string {
  if (typeof piece === 'string') return piece.slice(-longestTail);
  return piece.toString('latin1', Math.max(0, piece.length - longestTail));
}

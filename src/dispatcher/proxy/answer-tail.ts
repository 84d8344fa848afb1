import { readUsage, type Usage } from './read-usage.ts';

const newline = 0x0a;
const carriageReturn = 0x0d;

/** The last few chunks of an answer, kept by reference: where the usage stands. */
export class AnswerTail {
  #last: Buffer | undefined;
  #beforeLast: Buffer | undefined;
  #thirdLast: Buffer | undefined;

  add(chunk: Buffer): void {
    this.#thirdLast = this.#beforeLast;
    this.#beforeLast = this.#last;
    this.#last = chunk;
  }

  usage(): Usage | undefined {
    if (!this.#last) return undefined;
    const found = readUsage(textOf(this.#last));
    if (found || !this.#beforeLast) return found;
    return readUsage(textOf(this.#thirdLast) + textOf(this.#beforeLast) + textOf(this.#last));
  }

  /** Whether what was sent so far ends with a whole event. */
  endsEvent(): boolean {
    const { length } = this.#last ?? [];
    const last = this.#last?.[length - 1];
    const before =
      this.#last?.[length - 2] === carriageReturn ? this.#last?.[length - 3] : this.#last?.[length - 2];
    return last === newline && before === newline;
  }
}

/** How many events end in the chunk. */
export function eventsIn(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf('\n\n'); at >= 0; at = chunk.indexOf('\n\n', at + 2)) count++;
  return count;
}

/** Usage is near the end; of a large chunk the rest is not looked at. */
const longestTail = 4096;

function textOf(chunk: Buffer | undefined): string {
  return chunk ? chunk.toString('latin1', Math.max(0, chunk.length - longestTail), chunk.length) : '';
}

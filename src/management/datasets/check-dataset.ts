import { type InputIssue, InvalidInput, PayloadTooLarge } from '../../contracts/problems.ts';
import { countOf } from '../../platform/count-of.ts';
import { readConversation } from './conversation-line.ts';
import { splitLines } from './split-lines.ts';

const longestLine = 16 * 2 ** 20;
const shownProblems = 10;

export interface DatasetLimits {
  /** Bytes. */
  largest: number;
}

/**
 * Validates an upload while it streams through. Throws after the last chunk if a line is invalid or the file is empty,
 * so that the store discards the file.
 */
export class CheckedDataset {
  examples = 0;
  readonly #content: AsyncIterable<Uint8Array>;
  readonly #limits: DatasetLimits;

  constructor(content: AsyncIterable<Uint8Array>, limits: DatasetLimits) {
    this.#content = content;
    this.#limits = limits;
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    const bad: InputIssue[] = [];
    const passed: Uint8Array[] = [];
    let badLines = 0;
    const note = (number: number, why: string) => {
      badLines += 1;
      if (bad.length < shownProblems)
        bad.push({ loc: ['body', 'file', `line ${number}`], msg: why, type: 'value_error' });
    };
    try {
      for await (const { number, text } of splitLines(this.#counted(passed), longestLine)) {
        yield* passed.splice(0);
        if (this.examples + badLines === 0 && text?.trimStart().startsWith('[')) throw isArray();
        const read =
          text === null ? { error: `longer than ${longestLine / 2 ** 20} MiB` } : readConversation(text);
        if ('error' in read) note(number, read.error);
        else this.examples += 1;
      }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      note(this.examples + badLines + 1, 'not valid UTF-8 text');
    }
    yield* passed.splice(0);
    if (badLines > bad.length) bad.push(more(badLines - bad.length));
    if (bad.length > 0) throw new InvalidInput(bad);
    if (this.examples === 0)
      throw new InvalidInput([
        { loc: ['body', 'file'], msg: 'the file contains no conversations', type: 'value_error' },
      ]);
  }

  async *#counted(passed: Uint8Array[]): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const piece of this.#content) {
      size += piece.length;
      if (size > this.#limits.largest) {
        throw new PayloadTooLarge(`the file is larger than the limit of ${this.#limits.largest} bytes`);
      }
      passed.push(piece);
      yield piece;
    }
  }
}

/** One sentence instead of one per line. */
const isArray = () =>
  new InvalidInput([
    {
      loc: ['body', 'file'],
      msg: "the file is a JSON array, but one JSON object per line is needed (convert it: jq -c '.[]' data.json > data.jsonl)",
      type: 'value_error',
    },
  ]);

const more = (count: number): InputIssue => ({
  loc: ['body', 'file'],
  msg: `and ${countOf(count, 'more line')}`,
  type: 'value_error',
});

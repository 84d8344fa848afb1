import { readUsage, type TokenCounts } from '../../contracts/openai/read-usage.ts';

const keptBytes = 16 * 1024;

/** Keeps the last bytes of a response, because servers report usage at its end. */
export class AnswerEnd {
  #chunks: Buffer[] = [];
  #size = 0;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size <= 2 * keptBytes) return;
    const end = Buffer.concat(this.#chunks).subarray(-keptBytes);
    this.#chunks = [end];
    this.#size = end.length;
  }

  usage(): TokenCounts {
    const end = Buffer.concat(this.#chunks).toString('latin1');
    return readUsage(end) ?? { promptTokens: 0, completionTokens: 0 };
  }
}

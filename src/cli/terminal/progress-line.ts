import { visibleInLine } from './visible.ts';

const width = 24;

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** Replaces the current line on a terminal, truncated to its width; writes a new line elsewhere. */
export function redraw(out: Output, text: string): void {
  // A terminal of unknown size reports 0 columns.
  const room = (out.columns || 120) - 1;
  const line = visibleInLine(text);
  out.write(out.isTTY ? `\r\x1b[K${line.slice(0, room)}` : `${line}\n`);
}

/** Shows the progress of a download: one redrawn line on a terminal, a new line every 10 % elsewhere. */
export class ProgressLine {
  readonly #out: Output;
  #title = '';
  #started = 0;
  #startedAt = 0;
  #drawn = 0;
  #tenth = -1;

  constructor(out: Output) {
    this.#out = out;
  }

  show(title: string, done: number, total: number | undefined): void {
    const now = performance.now();
    if (title !== this.#title) {
      this.done();
      this.#title = title;
      this.#started = done;
      this.#startedAt = now;
      this.#tenth = -1;
      this.#drawn = 0;
    }
    const finished = done === total;
    if (this.#out.isTTY) {
      if (!finished && now - this.#drawn < 100) return;
      this.#drawn = now;
      redraw(this.#out, this.#text(done, total, now));
      return;
    }
    const tenth = total ? Math.floor((done / total) * 10) : 0;
    if (tenth === this.#tenth) return;
    this.#tenth = tenth;
    this.#out.write(`${visibleInLine(this.#text(done, total, now))}\n`);
  }

  /** Shows text instead of a progress bar. */
  note(text: string): void {
    if (text === this.#title) return;
    this.#title = text;
    redraw(this.#out, text);
  }

  done(): void {
    if (this.#title !== '' && this.#out.isTTY) this.#out.write('\n');
    this.#title = '';
  }

  #text(done: number, total: number | undefined, now: number): string {
    const rate = (done - this.#started) / Math.max(0.1, (now - this.#startedAt) / 1000);
    const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
    const speed = `${megabytes(rate)} MB/s`;
    if (!total) return `${megabytes(done)} MB  ${speed}  ${this.#title}`;
    const share = Math.min(1, done / total);
    const filled = Math.round(share * width);
    const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    return `${bar} ${percent}  ${megabytes(done)}/${megabytes(total)} MB  ${speed}  ${this.#title}`;
  }
}

import type { Phase, Progress } from './server-kind.ts';

const keptLines = 500;

/** The last lines of a server's log, and the start-up progress they show. */
export class LogTail {
  readonly #phases: Phase[];
  #lines: string[] = [];
  #progress: Progress = { text: 'starting', share: 0 };

  constructor(phases: Phase[]) {
    this.#phases = phases;
  }

  get lines(): string[] {
    return this.#lines;
  }

  get progress(): Progress {
    return this.#progress;
  }

  /** Returns true if the line advances the progress. */
  add(line: string): boolean {
    this.#lines.push(line);
    if (this.#lines.length > 2 * keptLines) this.#lines = this.#lines.slice(-keptLines);
    for (const phase of this.#phases) {
      const match = phase.pattern.exec(line);
      if (match === null) continue;
      const percent = Math.min(100, Number(match[1])) / 100;
      const share = phase.share + (phase.spread === undefined ? 0 : phase.spread * (percent || 0));
      // Lines of different processes may arrive out of order.
      if (share <= this.#progress.share) return false;
      this.#progress = { text: phase.text, share };
      return true;
    }
    return false;
  }
}

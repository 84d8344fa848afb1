import type { Run } from './block.ts';
import { cleanText } from './clean-text.ts';

export type RunStyle = Omit<Run, 'text'>;

/** Collects the text of a paragraph, with white space as browsers show it. */
export class CollectedRuns {
  #runs: Run[] = [];
  #endsInSpace = true;

  add(text: string, style: RunStyle): void {
    let shown = cleanText(text.replace(/[ \t\n\r\f]+/g, ' '));
    if (this.#endsInSpace) shown = shown.replace(/^ +/, '');
    if (shown !== '') this.#push(shown, style);
  }

  /** A line break. */
  break(): void {
    const last = this.#runs.at(-1);
    if (last) last.text = last.text.replace(/ +$/, '');
    this.#push('\n', {});
  }

  #push(text: string, style: RunStyle): void {
    this.#endsInSpace = /[ \n]$/.test(text);
    this.#runs.push({ ...style, text });
  }

  /** What has been collected; empty where there is nothing to show. */
  take(): Run[] {
    const runs = this.#runs;
    this.#runs = [];
    this.#endsInSpace = true;
    for (let last = runs.at(-1); last; last = runs.at(-1)) {
      last.text = last.text.replace(/[ \n]+$/, '');
      if (last.text !== '') break;
      runs.pop();
    }
    const first = runs.findIndex(({ text }) => text !== '\n');
    if (first > 0) runs.splice(0, first);
    return runs.some(({ text }) => /[^\s\u00a0]/u.test(text)) ? runs : [];
  }
}

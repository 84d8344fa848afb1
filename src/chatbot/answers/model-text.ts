import { repetitionStart } from './repetition.ts';

/** What a model wrote, taken apart as it arrives: the answer, the questions after it, and what is left out. */
export class ModelText {
  #raw = '';
  #shown = 0;
  #checked = 0;
  isLooping = false;

  /** Adds a piece, and returns the part of the answer that can be shown now. */
  add(piece: string): string {
    if (this.isLooping) return '';
    this.#raw += piece;
    if (this.#raw.length - this.#checked >= 40) {
      this.#checked = this.#raw.length;
      const start = repetitionStart(this.#raw);
      if (start !== undefined) {
        this.#raw = this.#raw.slice(0, start);
        this.isLooping = true;
      }
    }
    const visible = this.#answer(true);
    const fresh = visible.slice(this.#shown);
    this.#shown = Math.max(this.#shown, visible.length);
    return fresh;
  }

  get answer(): string {
    return this.#answer(false).trim();
  }

  /** The further questions that the model proposed. */
  get questions(): string[] {
    const lines = withoutThinking(this.#raw)
      .split('\n')
      .filter((line) => /^\s*>>/u.test(line));
    return lines
      .map((line) =>
        line
          .replace(/^[\s>\-*\d.]+/u, '')
          .replaceAll(/\s*\[\d+\]/g, '')
          .trim(),
      )
      .filter((question) => question.length >= 5 && question.length <= 200);
  }

  /** The text before the questions. While it grows, a line that may become a question is held back. */
  #answer(growing: boolean): string {
    const text = withoutThinking(this.#raw);
    const questions = /(?:^|\n)\s*>>/u.exec(text);
    // Some models announce the questions.
    if (questions) return text.slice(0, questions.index).replace(/\n[^\n]{0,60}:\s*$/u, '');
    return growing ? text.replace(/(?:(?:^|\n)\s*>)?\s*$/u, '') : text;
  }
}

/** Some servers leave a model's thoughts in its answer. */
function withoutThinking(raw: string): string {
  if (!/^\s*<think>/u.test(raw)) return '<think>'.startsWith(raw.trim()) && raw.trim() !== '' ? '' : raw;
  const end = raw.indexOf('</think>');
  return end < 0 ? '' : raw.slice(end + '</think>'.length).trimStart();
}

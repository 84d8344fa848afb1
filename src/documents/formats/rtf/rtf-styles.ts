/** Finds out which styles of the style sheet are headings. */
export class RtfStyles {
  readonly #headings = new Map<number, number>();
  #name = '';
  #number = 0;

  /** The depth of the headings in a style, from 0; undefined if it has none. */
  headingOf(style: number): number | undefined {
    return this.#headings.get(style);
  }

  word(word: string, value: number | undefined): void {
    if (word === 's') this.#number = value ?? 0;
    else if (word === 'outlinelevel' && value !== undefined && value < 9)
      this.#headings.set(this.#number, value);
  }

  /** Takes the name of a style, which a semicolon ends. */
  text(text: string): void {
    this.#name += text;
    if (!text.endsWith(';')) return;
    const named = /^\s*(?:heading|заголовок) ([1-9])/i.exec(this.#name)?.[1];
    if (named) this.#headings.set(this.#number, Number(named) - 1);
    else if (/^\s*(?:title|название);/i.test(this.#name)) this.#headings.set(this.#number, 0);
    this.#name = '';
    this.#number = 0;
  }
}

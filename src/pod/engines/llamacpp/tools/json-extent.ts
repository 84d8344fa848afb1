/** Finds the end of a JSON value in text that arrives in pieces. */
export class JsonExtent {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #started = false;
  #done = false;

  /** Returns how many characters of `text` belong to the value. */
  push(text: string): number {
    for (let index = 0; index < text.length; index++) {
      if (this.#done) return index;
      this.#step(text.charAt(index));
    }
    return text.length;
  }

  get done(): boolean {
    return this.#done;
  }

  #step(character: string): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (character === '\\') this.#escaped = true;
      else if (character === '"') this.#inString = false;
      return;
    }
    if (character === '"') this.#inString = true;
    else if (character === '{' || character === '[') {
      this.#depth++;
      this.#started = true;
    } else if (character === '}' || character === ']') {
      this.#depth--;
      if (this.#started && this.#depth <= 0) this.#done = true;
    }
  }
}

/** Finds where a JSON value ends in a text that arrives in pieces. */
export class JsonExtent {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #started = false;
  #done = false;

  /** How many characters of `text` still belong to the value; its end, once `done`. */
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

/** How long one step of a prompt may take: an abort is felt at its end, and other answers go on between steps. */
const targetMilliseconds = 80;
const smallest = 32;
const largest = 512;

/** Sizes the chunks in which prompts are evaluated by how fast this machine turned out to be. */
export class PromptPace {
  #tokensPerMillisecond = 64 / targetMilliseconds;
  #active = 0;

  /** Counts a prompt in; call the result when it is evaluated. */
  begin(): () => void {
    this.#active++;
    return () => {
      this.#active--;
    };
  }

  /** The next chunk's size. Prompts evaluated side by side share a step. */
  get chunk(): number {
    const fair = (this.#tokensPerMillisecond * targetMilliseconds) / Math.max(1, this.#active);
    return Math.min(largest, Math.max(smallest, 16 * Math.round(fair / 16)));
  }

  measured(tokens: number, milliseconds: number): void {
    if (tokens < smallest || milliseconds <= 0) return;
    const now = (tokens * this.#active) / milliseconds;
    this.#tokensPerMillisecond += (now - this.#tokensPerMillisecond) / 4;
  }
}

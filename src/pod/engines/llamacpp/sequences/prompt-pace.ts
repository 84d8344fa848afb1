/** How long one step of a prompt may take: an abort is felt at its end, and other answers go on between steps. */
const targetMilliseconds = 100;
/** Below it the processor's matrix kernels lose half their speed, and a smaller step takes as long as this one. */
const smallestStep = 64;
const largestStep = 512;

/** Sizes the chunks in which prompts are evaluated by how fast this machine turned out to be. */
export class PromptPace {
  #tokensPerMillisecond = smallestStep / targetMilliseconds;
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
    const step = smallestStep * Math.floor((this.#tokensPerMillisecond * targetMilliseconds) / smallestStep);
    return Math.ceil(Math.min(largestStep, Math.max(smallestStep, step)) / Math.max(1, this.#active));
  }

  measured(tokens: number, milliseconds: number): void {
    const step = tokens * this.#active;
    if (step < smallestStep || milliseconds <= 0) return;
    this.#tokensPerMillisecond += (step / milliseconds - this.#tokensPerMillisecond) / 4;
  }
}

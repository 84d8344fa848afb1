/** Target duration of a prompt step: aborts take effect at its end, and other answers continue between steps. */
const targetMilliseconds = 100;
/** Below this size, CPU matrix kernels lose half their speed, so a smaller step takes just as long. */
const minStep = 64;
const maxStep = 512;

/** Sizes prompt chunks by the measured speed of this machine. */
export class PromptPace {
  #tokensPerMillisecond = minStep / targetMilliseconds;
  #active = 0;

  /** Registers a prompt; call the result when it has been evaluated. */
  begin(): () => void {
    this.#active++;
    return () => {
      this.#active--;
    };
  }

  /** Size of the next chunk. Prompts that are evaluated concurrently share a step. */
  get chunk(): number {
    const step = minStep * Math.floor((this.#tokensPerMillisecond * targetMilliseconds) / minStep);
    return Math.ceil(Math.min(maxStep, Math.max(minStep, step)) / Math.max(1, this.#active));
  }

  measured(tokens: number, milliseconds: number): void {
    const step = tokens * this.#active;
    if (step < minStep || milliseconds <= 0) return;
    this.#tokensPerMillisecond += (step / milliseconds - this.#tokensPerMillisecond) / 4;
  }
}

import type { PreparationSettings } from './preparation-thread.ts';
import {
  type PreparationInput,
  type PreparationModel,
  type Prepared,
  preparePrompt,
} from './prepare-prompt.ts';
import { StoppableThread } from './stoppable-thread.ts';
import { weigh } from './weigh.ts';

/** Requests up to this weight, which take a few milliseconds, are prepared on the main thread. */
const maxLightWeight = 200_000;
/** Milliseconds. Legitimate requests stay far below; the limits on counts and grammars apply first. */
const timeLimit = 10_000;

/** Prepares small requests at once, and large ones in a thread so that they don't block others. */
export class Preparer {
  readonly #model: PreparationModel;
  readonly #thread: StoppableThread<PreparationInput, Prepared>;

  constructor(model: PreparationModel, settings: PreparationSettings) {
    this.#model = model;
    this.#thread = new StoppableThread(
      new URL('./preparation-thread.ts', import.meta.url),
      settings,
      timeLimit,
    );
  }

  async prepare(input: PreparationInput, signal: AbortSignal | undefined): Promise<Prepared> {
    if (weigh(input, maxLightWeight) <= maxLightWeight) return preparePrompt(this.#model, input);
    return this.#thread.run(input, signal);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

import type { PreparationSettings } from './preparation-thread.ts';
import {
  type PreparationInput,
  type PreparationModel,
  type Prepared,
  preparePrompt,
} from './prepare-prompt.ts';
import { StoppableThread } from './stoppable-thread.ts';
import { weigh } from './weigh.ts';

/** Up to this weight, which takes a few milliseconds, a request is prepared where it arrives. */
const lightest = 200_000;
/** No honest request comes near it; the limits on counts and grammars are what is met first. */
const timeLimit = 10_000;

/** Prepares requests: small ones at once, large ones in a thread, so that the others go on meanwhile. */
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
    if (weigh(input, lightest) <= lightest) return preparePrompt(this.#model, input);
    return this.#thread.run(input, signal);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

import { Unavailable } from '../../contracts/problems.ts';
import type { ServedModel } from '../../platform/inference/calls/list-models.ts';
import type { Inference } from '../../platform/inference/inference.ts';
import type { CallOptions } from '../../platform/inference/sending/call-options.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { followsInstructions } from './instruction-test.ts';

export interface ChatModel {
  id: string;
  contextLength: number | undefined;
}

interface ChatModelSettings {
  mode: 'auto' | 'extractive' | 'generative';
  model?: string | undefined;
}

interface ChatModelsDependencies {
  inference: Pick<Inference, 'chat' | 'models'>;
  settings: ChatModelSettings;
  logger: Pick<Logger, 'info'>;
}

/** A model may be replaced by another under the same name. */
const testAgainAfter = 3_600_000;
const testFor = 30_000;
const mostTested = 4;
/** Too little for the rules, a passage and an answer. */
const smallestContext = 1_024;

/** Chooses the model that writes the answers. Bots are models too, and are never chosen. */
export class ChatModels {
  readonly #deps: ChatModelsDependencies;
  readonly #tests = new Map<string, { result: Promise<boolean>; at: number }>();

  constructor(deps: ChatModelsDependencies) {
    this.#deps = deps;
  }

  /** Undefined where answers are extracted. Throws where the settings ask for a model that is not there. */
  async current(options: CallOptions): Promise<ChatModel | undefined> {
    const { mode, model } = this.#deps.settings;
    if (mode === 'extractive') return undefined;
    const candidates = candidatesIn(await this.#served(options), model);
    if (mode === 'generative') {
      if (candidates[0]) return candidates[0];
      throw new Unavailable(
        model === undefined
          ? 'no chat model is deployed, and chatbot.mode is generative'
          : `the model '${model}' of chatbot.model is not served`,
        { retryAfter: 10 },
      );
    }
    for (const candidate of candidates.slice(0, mostTested)) {
      if ((candidate.contextLength ?? smallestContext) < smallestContext) continue;
      if (await unlessAborted(this.#isCapable(candidate), options.signal)) return candidate;
    }
    return undefined;
  }

  async #served(options: CallOptions): Promise<ServedModel[]> {
    try {
      return await this.#deps.inference.models(options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (this.#deps.settings.mode === 'generative') throw error;
      return [];
    }
  }

  /** Tested once per model, for all questions together. */
  #isCapable({ id }: ChatModel): Promise<boolean> {
    const known = this.#tests.get(id);
    if (known && Date.now() - known.at < testAgainAfter) return known.result;
    const { inference, logger } = this.#deps;
    const options = { credentials: 'platform', signal: AbortSignal.timeout(testFor) } as const;
    const result = followsInstructions(inference, id, options).then(
      (capable) => {
        logger.info({ model: id, capable }, 'tested whether the chat model follows instructions');
        return capable;
      },
      (error: unknown) => {
        // A model that is too slow for the test is too slow for answers; one that is away is tested next time.
        if (!options.signal.aborted) this.#tests.delete(id);
        logger.info({ model: id, err: error }, 'the chat model could not be tested');
        return false;
      },
    );
    if (this.#tests.size > 100) this.#tests.clear();
    this.#tests.set(id, { result, at: Date.now() });
    return result;
  }
}

function candidatesIn(served: readonly ServedModel[], wanted: string | undefined): ChatModel[] {
  return served
    .filter(({ id, task }) => !id.startsWith('bot/') && (task === undefined || task === 'llm'))
    .filter(({ id, parent }) => (wanted === undefined ? parent === undefined : id === wanted))
    .map(({ id, contextLength }) => ({ id, contextLength }));
}

function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

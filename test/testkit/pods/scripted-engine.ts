import { BadRequest, Conflict, NotFound } from '../../../src/contracts/problems.ts';
import type {
  EngineStatus,
  GenerationEvent,
  GenerationRequest,
  LanguageEngine,
  Prompt,
  TokenLogprob,
} from '../../../src/pod/engine.ts';

/**
 * A language engine without a model, controlled by the last message. `say <words>` answers with those words, one
 * token per word; `forever` repeats itself without end; `count` never ends
 * and never repeats itself; `break` fails after one token; `long` does not fit; `slow` reads its prompt
 * until it is aborted.
 */
export class ScriptedEngine implements LanguageEngine {
  readonly kind = 'language';
  readonly facts = { engine: 'scripted', contextLength: 100, vocabularySize: 1000 };
  readonly requests: GenerationRequest[] = [];
  /** Abort reasons of generations. */
  readonly stopped: unknown[] = [];
  readonly #adapters = new Map<string, string>();
  running = 0;

  adapters(): string[] {
    return [...this.#adapters.keys()];
  }

  async loadAdapter(name: string, path: string): Promise<void> {
    if (this.#adapters.has(name)) throw new Conflict(`an adapter named '${name}' is loaded already`);
    if (path === 'bad') throw new BadRequest('the adapter does not fit the model');
    this.#adapters.set(name, path);
  }

  async unloadAdapter(name: string): Promise<void> {
    if (!this.#adapters.delete(name)) throw new NotFound('adapter', name);
  }

  async *generate(request: GenerationRequest, signal: AbortSignal): AsyncGenerator<GenerationEvent> {
    this.requests.push(request);
    this.running++;
    try {
      yield* this.#follow(request, signal);
    } finally {
      this.running--;
    }
  }

  async tokenize(prompt: Prompt): Promise<number[]> {
    return [...wordsOf(lastText(prompt))].map((word) => word.length);
  }

  detokenize(tokens: readonly number[]): string {
    return tokens.map((token) => `<${token}>`).join('');
  }

  status(): EngineStatus {
    return { running: this.running, waiting: 0, parallel: 4, kvCacheUsage: 0.25 };
  }

  async close(): Promise<void> {}

  async *#follow(request: GenerationRequest, signal: AbortSignal): AsyncGenerator<GenerationEvent> {
    const text = lastText(request.prompt);
    if (text.startsWith('long')) {
      throw new BadRequest('the prompt has 120 tokens, 100 fit', {
        code: 'context_length_exceeded',
        param: 'messages',
      });
    }
    if (text.startsWith('slow')) await this.#untilStopped(signal);
    const prompt = wordsOf(text);
    const logprobs = request.promptLogprobs
      ? prompt.map((word, index) => logprob(word, index > 0))
      : undefined;
    yield { kind: 'prompt', tokens: prompt.length, cachedTokens: 1, ...(logprobs ? { logprobs } : {}) };
    if (text.startsWith('call') && request.prompt.kind === 'chat' && request.prompt.tools) {
      yield* call(prompt.length);
      return;
    }
    const words = text.startsWith('say') ? prompt.slice(1) : ['word', ' more'];
    const most = request.maxTokens ?? words.length;
    const counting = text.startsWith('count');
    const endless = counting || text.startsWith('forever');
    for (let index = 0; endless || index < Math.min(words.length, most); index++) {
      if (signal.aborted) await this.#untilStopped(signal);
      if (text.startsWith('break') && index === 1) throw new Error('the secret inside of the engine');
      const word = counting ? ` ${index}` : (words[index % words.length] as string);
      yield {
        kind: 'text',
        text: word,
        ...(request.logprobs === undefined ? {} : { logprobs: [logprob(word, true)] }),
      };
      if (endless) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const reason = words.length > most ? 'length' : 'stop';
    const completionTokens = Math.min(words.length, most);
    yield { kind: 'end', reason, usage: { promptTokens: prompt.length, completionTokens, cachedTokens: 1 } };
  }

  async #untilStopped(signal: AbortSignal): Promise<never> {
    await new Promise((resolve) => (signal.aborted ? resolve(0) : signal.addEventListener('abort', resolve)));
    this.stopped.push(signal.reason);
    throw signal.reason;
  }
}

function* call(promptTokens: number): Generator<GenerationEvent> {
  yield { kind: 'tool-call', index: 0, name: 'weather' };
  yield { kind: 'tool-arguments', index: 0, text: '{"city":' };
  yield { kind: 'tool-arguments', index: 0, text: '"Omsk"}' };
  yield { kind: 'end', reason: 'tool_calls', usage: { promptTokens, completionTokens: 5, cachedTokens: 0 } };
}

function lastText(prompt: Prompt): string {
  if (prompt.kind === 'text') return prompt.text;
  if (prompt.kind === 'tokens') return 'say tokens';
  const content = prompt.messages.at(-1)?.content;
  return typeof content === 'string' ? content : (content?.map((part) => part.text ?? '').join('') ?? '');
}

const wordsOf = (text: string) => text.match(/\s*\S+/g) ?? [];

function logprob(word: string, known: boolean): TokenLogprob {
  const one = { id: word.length, token: word, bytes: [...Buffer.from(word)], logprob: known ? -0.5 : null };
  return { ...one, top: [one, { ...one, token: 'other', logprob: Number.NEGATIVE_INFINITY }] };
}

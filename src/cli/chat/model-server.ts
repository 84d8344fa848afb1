import { fetch } from 'undici';
import { StartupError } from '../../platform/startup-error.ts';

export interface ListedModel {
  id: string;
  parent?: string | null;
  task?: string;
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** A server that speaks OpenAI's API, as far as a conversation needs it. */
export class ModelServer {
  readonly url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, key: string | undefined) {
    this.url = url.replace(/\/+$/, '').replace(/\/v1$/, '');
    this.#headers = key ? { authorization: `Bearer ${key}` } : {};
  }

  async models(): Promise<ListedModel[]> {
    const response = await this.#request('/v1/models', {});
    return ((await response.json()) as { data: ListedModel[] }).data;
  }

  /** A model to talk to, where none is named: the first that chats, as far as the server says what each is for. */
  async defaultModel(): Promise<string | undefined> {
    const models = await this.models();
    return models.find(({ task, parent }) => (task ?? 'llm') === 'llm' && !parent)?.id;
  }

  /** The pieces of an answer as they come. */
  async *answer(
    model: string,
    messages: ChatMessage[],
    options: object,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const body = JSON.stringify({ ...options, model, messages, stream: true });
    const headers = { 'content-type': 'application/json' };
    const response = await this.#request('/v1/chat/completions', { method: 'POST', headers, body, signal });
    let rest = '';
    const decoder = new TextDecoder();
    for await (const bytes of unlessCut(response.body ?? [], signal)) {
      rest += decoder.decode(bytes as Uint8Array, { stream: true });
      const events = rest.split(/\r?\n\r?\n/);
      rest = events.pop() ?? '';
      for (const event of events) {
        const data = /^data: ?(.*)$/m.exec(event)?.[1];
        if (!data || data === '[DONE]') continue;
        const chunk = JSON.parse(data) as {
          error?: { message: string };
          choices?: { delta?: { content?: string } }[];
        };
        if (chunk.error) throw new ServerRefused(chunk.error.message);
        const text = chunk.choices?.[0]?.delta?.content;
        if (text) yield text;
      }
    }
  }

  async #request(
    path: string,
    options: { method?: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal },
  ) {
    let response: Awaited<ReturnType<typeof fetch>>;
    try {
      response = await fetch(this.url + path, {
        ...options,
        headers: { ...this.#headers, ...options.headers },
      });
    } catch (error) {
      options.signal?.throwIfAborted();
      throw new StartupError(
        `nothing answers at ${this.url}: start the platform with "npm start", or name a server with --url`,
        { cause: error },
      );
    }
    if (response.ok) return response;
    const text = await response.text();
    throw new ServerRefused(messageIn(text) ?? `the server answered ${response.status}`);
  }
}

async function* unlessCut<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    signal.throwIfAborted();
    throw new ServerRefused('the server went away in the middle of its answer', { cause: error });
  }
}

/** The server said no; the conversation goes on. */
export class ServerRefused extends StartupError {}

function messageIn(text: string): string | undefined {
  try {
    const { error, detail } = JSON.parse(text) as { error?: { message?: string }; detail?: unknown };
    if (error?.message) return error.message;
    return typeof detail === 'string' ? detail : JSON.stringify(detail);
  } catch {
    return undefined;
  }
}

import { Readable } from 'node:stream';
import { Agent, request as call } from 'undici';
import type { BodyBytes, InferenceTransport, TransportAnswer, TransportRequest } from './transport.ts';
import { cutOff, unreachable } from './transport-problems.ts';

export interface HttpTransport extends InferenceTransport {
  close(): Promise<void>;
}

/** Reaches the dispatcher, or any server that speaks OpenAI's API, over HTTP. */
export function httpTransport(url: string): HttpTransport {
  const base = url.replace(/\/+$/, '');
  // The dispatcher limits how long a request may take; a second limit here would only disagree with it.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  return {
    send: (request) => send(agent, base, request),
    close: () => agent.close(),
  };
}

async function send(agent: Agent, base: string, request: TransportRequest): Promise<TransportAnswer> {
  const { method, path, headers, signal } = request;
  signal.throwIfAborted();
  const upload = new Upload(request.body);
  try {
    const body = upload.bytes ?? null;
    const answer = await call(base + path, { dispatcher: agent, method, headers, body, signal });
    return {
      status: answer.statusCode,
      header(name) {
        const value = answer.headers[name];
        return Array.isArray(value) ? value[0] : value;
      },
      body: read(answer.body, upload, signal),
    };
  } catch (error) {
    signal.throwIfAborted();
    throw upload.failure ?? unreachable(error);
  }
}

async function* read(
  body: AsyncIterable<Uint8Array>,
  upload: Upload,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    signal.throwIfAborted();
    throw upload.failure ?? cutOff(error);
  }
  // A stream that was destroyed by the abort may look as if it had ended.
  signal.throwIfAborted();
}

/** The request's body. It remembers what its source threw, which undici may hide behind an error of its own. */
class Upload {
  readonly bytes: Uint8Array | Readable | undefined;
  failure: unknown;

  constructor(body: BodyBytes | undefined) {
    const isWhole = body === undefined || body instanceof Uint8Array;
    this.bytes = isWhole ? body : Readable.from(this.#watched(body), { objectMode: false });
  }

  async *#watched(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* source;
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

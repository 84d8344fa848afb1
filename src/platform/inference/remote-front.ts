import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InferencePath } from '../../contracts/inference-endpoints.ts';
import { ModelResponse } from '../../contracts/openai/models.ts';
import { NotFound, PayloadTooLarge, Problem, UpstreamFailed } from '../../contracts/problems.ts';
import type { InferenceSurface } from '../../contracts/surfaces.ts';
import { answerProblem } from '../http/errors/answer-problem.ts';
import { Forwarder } from '../http/forwarding/forwarder.ts';
import { addressOf } from '../wire/open-socket.ts';
import { type InferenceFront, type ServedSurface, servedName } from './inference-front.ts';
import { replaceModel } from './replace-model.ts';
import { readProblem } from './sending/read-problem.ts';
import { noRetries } from './sending/retries.ts';
import { askForJson, type Sender } from './sending/send-request.ts';

interface RemoteOptions {
  /** Address of the dispatcher. */
  url: string;
  sender: Sender;
  bodyLimit: number;
}

export interface RemoteFront extends InferenceFront {
  close(): void;
}

/** The front of a dispatcher in another process. Names are resolved here: only this process knows its own surfaces. */
export function remoteFront({ url, sender, bodyLimit }: RemoteOptions): RemoteFront {
  const forwarder = new Forwarder({ target: addressOf(new URL(url)), name: 'the dispatcher' });
  return {
    addSurface: (surface) => new RemoteSurface(surface, forwarder, bodyLimit),
    models() {
      const options = { credentials: 'platform', signal: AbortSignal.timeout(10_000) } as const;
      return askForJson(sender, { method: 'GET', path: '/v1/models' }, ModelResponse, options, noRetries);
    },
    close: () => forwarder.close(),
  };
}

class RemoteSurface implements ServedSurface {
  #surface: InferenceSurface;
  readonly #forwarder: Forwarder;
  readonly #bodyLimit: number;

  constructor(surface: InferenceSurface, forwarder: Forwarder, bodyLimit: number) {
    this.#surface = surface;
    this.#forwarder = forwarder;
    this.#bodyLimit = bodyLimit;
  }

  rename({ aliases, only }: Pick<InferenceSurface, 'aliases' | 'only'>): void {
    this.#surface = { ...this.#surface, aliases, only };
  }

  answer(request: IncomingMessage, response: ServerResponse, path: InferencePath): void {
    const { shape } = this.#surface;
    const credentials = { authorization: request.headers.authorization };
    readBody(request, this.#bodyLimit)
      .then((body) =>
        this.#forwarder.forward(request, response, path, shape, {
          body: this.#renamed(body),
          readProblem: (answer) => readProblem(answer, credentials, Date.now()),
        }),
      )
      .catch((error: unknown) => {
        const problem =
          error instanceof Problem
            ? error
            : new UpstreamFailed('the request could not be read', { cause: error });
        answerProblem(request, response, problem, shape);
      });
  }

  /** The body with the served model's name in it. A body that names no model is for the dispatcher to refuse. */
  #renamed(body: Buffer): Buffer {
    const model = modelIn(body);
    if (model === undefined) return body;
    const served = servedName(this.#surface, model);
    if (served === undefined) {
      throw new NotFound('model', model, { code: 'model_not_found', param: 'model' });
    }
    return served === model ? body : replaceModel(body, served);
  }
}

async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The connection stays open for the refusal, which most clients read only once they have sent everything.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) {
      request.resume();
      throw new PayloadTooLarge(`the request body is larger than ${limit} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function modelIn(body: Buffer): string | undefined {
  try {
    const { model } = JSON.parse(body.toString()) as { model?: unknown };
    return typeof model === 'string' ? model : undefined;
  } catch {
    return undefined;
  }
}

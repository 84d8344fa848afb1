import { type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import { fetch } from 'undici';
import type { InferencePath } from '../../contracts/inference-endpoints.ts';
import type { ModelResponse } from '../../contracts/openai/models.ts';
import { NotFound, PayloadTooLarge, Problem, Unavailable, UpstreamFailed } from '../../contracts/problems.ts';
import type { InferenceSurface } from '../../contracts/surfaces.ts';
import { shapeProblem } from '../http/errors/problem-shapes.ts';
import { type InferenceFront, type ServedSurface, servedName } from './inference-front.ts';
import { replaceModel } from './replace-model.ts';

interface RemoteOptions {
  /** Address of the dispatcher. */
  url: string;
  key: string | undefined;
  bodyLimit: number;
}

/** The dispatcher of another process. Names are resolved here: only this process knows its own surfaces. */
export function remoteFront(options: RemoteOptions): InferenceFront {
  return {
    addSurface: (surface) => new RemoteSurface(surface, options),
    async models() {
      const headers: Record<string, string> = options.key ? { authorization: `Bearer ${options.key}` } : {};
      const answer = await fetch(new URL('/v1/models', options.url), { headers }).catch(() => undefined);
      if (!answer?.ok) throw unreachable();
      return (await answer.json()) as ModelResponse;
    },
  };
}

class RemoteSurface implements ServedSurface {
  #surface: InferenceSurface;
  readonly #options: RemoteOptions;

  constructor(surface: InferenceSurface, options: RemoteOptions) {
    this.#surface = surface;
    this.#options = options;
  }

  rename(names: Pick<InferenceSurface, 'aliases' | 'only'>): void {
    this.#surface = { ...this.#surface, ...names };
  }

  answer(request: IncomingMessage, response: ServerResponse, path: InferencePath): void {
    readBody(request, this.#options.bodyLimit)
      .then((body) => this.#forward(request, response, path, this.#renamed(body)))
      .catch((error: unknown) => this.#refuse(response, error));
  }

  /** The body with the served model's name in it. A body that names no model is the dispatcher's to refuse. */
  #renamed(body: Buffer): Buffer {
    const model = modelIn(body);
    if (model === undefined) return body;
    const served = servedName(this.#surface, model);
    if (served === undefined) {
      throw new NotFound('model', model, { code: 'model_not_found', param: 'model' });
    }
    return served === model ? body : replaceModel(body, served);
  }

  #forward(request: IncomingMessage, response: ServerResponse, path: InferencePath, body: Buffer): void {
    // Built from our own settings: the request's target may name another host.
    const target = new URL(path, this.#options.url);
    const call = target.protocol === 'https:' ? requestHttps : requestHttp;
    const headers = { ...request.headers, host: target.host, 'content-length': String(body.length) };
    delete headers['transfer-encoding'];
    const inner = call(target, { method: 'POST', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    inner.on('error', () => {
      if (response.headersSent) response.destroy();
      else this.#refuse(response, unreachable());
    });
    response.on('close', () => inner.destroy());
    inner.end(body);
  }

  #refuse(response: ServerResponse, error: unknown): void {
    if (response.headersSent) return void response.destroy();
    const problem = error instanceof Problem ? error : new UpstreamFailed('the request could not be read');
    const { status, headers, body } = shapeProblem(problem, this.#surface.shape);
    response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}

const unreachable = () =>
  new Unavailable('the dispatcher does not answer', { code: 'dispatcher_unreachable', retryAfter: 5 });

async function readBody(stream: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new PayloadTooLarge(`the request body is larger than ${limit} bytes`);
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

import type { ModelResponse } from '../../../contracts/openai/models.ts';
import { InternalFault, NotFound, Problem, Unavailable } from '../../../contracts/problems.ts';
import { type AccessRules, admit } from '../../../platform/http/access.ts';
import { shapeProblem } from '../../../platform/http/errors/problem-shapes.ts';
import type {
  InferenceTransport,
  TransportAnswer,
  TransportRequest,
} from '../../../platform/inference/sending/transport.ts';
import { checkHeaders } from '../../../platform/inference/sending/transport-problems.ts';
import { ownSurface } from '../admission/surface.ts';
import type { Front } from '../front.ts';
import { LocalCall } from './local-call.ts';

interface LocalTransportDependencies {
  front: Front;
  access: AccessRules;
  models(): ModelResponse;
}

/** Takes calls from inside this process. They are routed, limited and counted like those that come over a socket. */
export class LocalTransport implements InferenceTransport {
  readonly #deps: LocalTransportDependencies;
  readonly #calls = new Set<LocalCall>();
  #closed = false;

  constructor(deps: LocalTransportDependencies) {
    this.#deps = deps;
  }

  async send(request: TransportRequest): Promise<TransportAnswer> {
    request.signal.throwIfAborted();
    // What was read from a socket can't have line breaks in its headers; this must not either.
    checkHeaders(request.headers);
    if (this.#closed) throw closing();
    if (request.method === 'GET') return this.#get(request);
    const call = new LocalCall(request, this.#forget);
    this.#calls.add(call);
    if (!this.#deps.front.serve(request.path, call)) call.fail(new NotFound('path', request.path));
    return call.answer;
  }

  close(): void {
    this.#closed = true;
    for (const call of this.#calls) call.fail(closing());
  }

  readonly #forget = (call: LocalCall): void => {
    this.#calls.delete(call);
  };

  #get({ path, headers }: TransportRequest): TransportAnswer {
    try {
      if (path !== '/v1/models') throw new NotFound('path', path);
      admit(ownSurface.access, headers.authorization, this.#deps.access);
      return answerOf(200, {}, this.#deps.models());
    } catch (error) {
      const problem = error instanceof Problem ? error : new InternalFault('internal error');
      const shaped = shapeProblem(problem, ownSurface.shape);
      return answerOf(shaped.status, shaped.headers, shaped.body);
    }
  }
}

function answerOf(status: number, headers: Record<string, string>, value: unknown): TransportAnswer {
  const pairs = new Map(Object.entries(headers));
  return { status, header: (name) => pairs.get(name), body: once(Buffer.from(JSON.stringify(value))) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function closing(): Unavailable {
  return new Unavailable('the dispatcher is shutting down');
}

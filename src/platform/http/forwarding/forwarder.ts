import { Agent, request as call, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Problem, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';
import type { ErrorShape } from '../../../contracts/surfaces.ts';
import { openSocket, type ServerAddress } from '../../wire/open-socket.ts';
import { answerProblem } from '../errors/answer-problem.ts';
import { answerHeaders, hasBody, requestHeaders } from './forwarded-headers.ts';

export interface ForwarderOptions {
  /** Where every request goes, whatever host it names. */
  target: ServerAddress;
  /** Name of the target in error messages, such as `the dispatcher`. */
  name: string;
}

/** Changes that `forward` makes to a request and its response. */
export interface ForwardChanges {
  /** Sent instead of the request's own body, which has already been read. */
  body: Buffer;
  /** Sent instead of the request's own `Authorization` header. */
  authorization?: string | undefined;
  /** Called with a successful response before it is passed back. */
  watch?(answer: IncomingMessage): void;
  /** Converts an error response of the target to a `Problem`, which is sent in the caller's error shape. */
  readProblem(answer: { status: number; header(name: string): string | undefined; text: string }): Problem;
}

/** Longer error responses are truncated. */
const longestRefusal = 2 ** 20;

const connectTimeout = 5000;
const retryAfter = 5;

/** Forwards requests to another server and streams its responses back. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #agent: Agent;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#agent = new TargetAgent(options.target);
  }

  /** `shape` is the error shape for this caller. */
  forward(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    shape: ErrorShape,
    changes?: ForwardChanges,
  ): void {
    if (response.destroyed) return;
    const { target, name } = this.#options;
    const inner = call({
      agent: this.#agent,
      method: request.method,
      path,
      headers: requestHeaders(request, 'host' in target ? target.host : undefined, {
        length: changes?.body.length,
        authorization: changes?.authorization,
      }),
      setHost: false,
    });
    inner.on('response', (answer) => {
      if (changes && (answer.statusCode ?? 502) >= 400) {
        void passRefusalBack(answer, (problem) => answerProblem(request, response, problem, shape), changes);
      } else {
        changes?.watch?.(answer);
        passBack(answer, response);
      }
    });
    inner.on('error', (error: NodeJS.ErrnoException) => {
      answerProblem(request, response, problemOf(error, name), shape);
    });
    // Many callers read the response only after they have sent everything, so the rest of a body is discarded.
    inner.on('close', () => request.unpipe(inner).resume());
    response.on('close', () => {
      if (!response.writableFinished) inner.destroy();
    });
    request.on('close', () => {
      if (!request.complete) inner.destroy();
    });
    if (changes) inner.end(changes.body);
    else if (hasBody(request)) {
      // The target may want to refuse the request before its body arrives.
      inner.flushHeaders();
      request.pipe(inner);
    } else inner.end();
  }

  /** Closes idle connections, and those of requests that are still running. */
  close(): void {
    this.#agent.destroy();
  }
}

/** Opens every connection to one address, so that nothing in a request can select another. */
class TargetAgent extends Agent {
  readonly #target: ServerAddress;

  constructor(target: ServerAddress) {
    super({ keepAlive: true });
    this.#target = target;
  }

  override createConnection(): Socket {
    return openSocket(this.#target, { connectTimeout });
  }
}

function passBack(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answerHeaders(answer));
  // A stream may begin long before its first byte.
  if (answer.headers['content-length'] === undefined) response.flushHeaders();
  answer.on('close', () => {
    // Cutting the connection tells the caller that the response is incomplete.
    if (!answer.complete) response.destroy();
  });
  answer.pipe(response);
}

async function passRefusalBack(
  answer: IncomingMessage,
  refuseWith: (problem: Problem) => void,
  { readProblem }: ForwardChanges,
): Promise<void> {
  let text = '';
  answer.setEncoding('utf8');
  try {
    for await (const chunk of answer) if (text.length < longestRefusal) text += chunk;
  } catch {
    // The part that was received may be enough to identify the error.
  }
  const header = (name: string) => answer.headers[name]?.toString();
  refuseWith(readProblem({ status: answer.statusCode ?? 502, header, text }));
}

function problemOf(error: NodeJS.ErrnoException, name: string): Problem {
  if (error.code?.startsWith('HPE_')) {
    return new UpstreamFailed(`${name} sent a response that is not valid HTTP`, { cause: error });
  }
  return new Unavailable(`${name} does not answer`, { retryAfter, cause: error });
}

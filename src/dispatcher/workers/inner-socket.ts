import { Agent, type IncomingMessage, request as send } from 'node:http';
import { Unavailable } from '../../contracts/problems.ts';
import { shapeProblem } from '../../platform/http/errors/problem-shapes.ts';
import type { MainThread } from '../calls/exchange/context.ts';
import type { Call, CallOwner } from '../wire/call.ts';

type Handed = Parameters<MainThread['take']>[1];

/** Headers of one connection, and those that are set anew. */
const replaced = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
]);

/** Hands requests that a worker has read to the main thread, over its Unix socket, and passes the answers back. */
export class InnerSocket implements MainThread {
  readonly #path: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(path: string) {
    this.#path = path;
  }

  take(call: Call, handed: Handed): void {
    const inner = send({
      agent: this.#agent,
      socketPath: this.#path,
      method: 'POST',
      path: handed.path,
      headers: [
        ...kept(call.headers),
        ...['x-request-id', handed.requestId, 'content-length', String(handed.body.length)],
      ],
      setHost: false,
    });
    let answer: IncomingMessage | undefined;
    const owner: CallOwner = {
      receive() {},
      refuse() {},
      abandon: () => inner.destroy(),
      resume: () => answer?.resume(),
    };
    call.owner = owner;
    inner.on('response', (response) => {
      answer = response;
      passBack(response, call);
    });
    inner.on('error', () => refuse(call, handed));
    inner.end(handed.body);
  }

  close(): void {
    this.#agent.destroy();
  }
}

function kept(headers: readonly string[]): string[] {
  const pairs: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    if (!replaced.has(name)) pairs.push(name, headers[at + 1] as string);
  }
  return pairs;
}

function passBack(answer: IncomingMessage, call: Call): void {
  const { 'content-length': length, ...headers } = answer.headers;
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    replaced.has(name) && name !== 'x-request-id' ? [] : [value ?? ''].flat().flatMap((each) => [name, each]),
  );
  call.begin(answer.statusCode ?? 502, pairs, length === undefined ? undefined : Number(length));
  answer.on('data', (chunk: Buffer) => {
    call.write(chunk);
    if (!call.flush()) answer.pause();
  });
  answer.on('end', () => call.end());
  answer.on('close', () => {
    // Cutting the connection tells the caller that the answer is incomplete.
    if (!answer.complete && !call.over) call.cut();
  });
}

function refuse(call: Call, { requestId, shape }: Handed): void {
  if (call.over) return;
  if (call.begun) {
    call.cut();
    return;
  }
  const problem = new Unavailable('the platform does not answer', { retryAfter: 5 });
  const { status, headers, body } = shapeProblem(problem, shape);
  const bytes = Buffer.from(JSON.stringify(body));
  const pairs = ['x-request-id', requestId, 'content-type', 'application/json; charset=utf-8'];
  call.begin(status, [...pairs, ...Object.entries(headers).flat()], bytes.length);
  call.write(bytes);
  call.end();
}

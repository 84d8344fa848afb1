import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import type { Problem } from '../../contracts/problems.ts';
import { toProblem } from '../../platform/http/errors/error-handling.ts';
import { openaiBody } from '../../platform/http/errors/problem-shapes.ts';

/**
 * Sends JSON texts as server-sent events, followed by `[DONE]`. An error before the first event is thrown, so that
 * the response has its status; a later error ends the stream with an `error` event.
 */
export async function sendEventStream(
  reply: FastifyReply,
  chunks: AsyncGenerator<string>,
  signal: AbortSignal,
): Promise<void> {
  const first = await chunks.next();
  reply.hijack();
  const response = reply.raw;
  response.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    // Disables response buffering in proxies such as nginx.
    'x-accel-buffering': 'no',
  });
  response.socket?.setNoDelay(true);
  try {
    for (let step = first; !step.done; step = await chunks.next()) {
      // If the client reads slower than the model generates, wait instead of buffering the response in memory.
      if (!response.write(`data: ${step.value}\n\n`)) await once(response, 'drain', { signal });
    }
    response.end('data: [DONE]\n\n');
  } catch (error) {
    if (signal.aborted) {
      response.destroy();
      return;
    }
    const problem: Problem = toProblem(error);
    reply.log.error({ err: problem.cause ?? error }, problem.message);
    response.end(`event: error\ndata: ${JSON.stringify(openaiBody(problem))}\n\n`);
  } finally {
    await chunks.return(undefined);
  }
}

/** Aborts when the client disconnects before its response has ended. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new ClientGone());
  });
  return gone.signal;
}

export class ClientGone extends Error {
  constructor() {
    super('the client disconnected');
    this.name = 'ClientGone';
  }
}

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AnswerEvent } from '../../contracts/answering.ts';
import { InternalFault, Problem } from '../../contracts/problems.ts';

interface Sending {
  response: ServerResponse;
  headers: Record<string, string>;
  /** Told what the caller must not see. */
  onFault(error: unknown): void;
}

const heartbeatEvery = 10_000;

/** Sends an answer as server-sent events: `stage`, `delta`, `answer` or `error`, then `done`. */
export async function sendEvents(
  first: AnswerEvent,
  rest: AsyncGenerator<AnswerEvent, void>,
  { response, headers, onFault }: Sending,
): Promise<void> {
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
  const write = async (text: string) => {
    if (response.write(text) || response.destroyed) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
    waiting.abort();
  };
  const send = (name: string, data: unknown) => write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  // Comments keep proxies from closing a connection on which a model is thinking.
  const heartbeat = setInterval(() => response.write(': heartbeat\n\n'), heartbeatEvery);
  try {
    await send(first.type, dataOf(first));
    for await (const event of rest) await send(event.type, dataOf(event));
  } catch (error) {
    if (!(error instanceof Problem)) onFault(error);
    const problem = error instanceof Problem ? error : new InternalFault('an internal error occurred');
    await send('error', { error: problem.message });
  } finally {
    clearInterval(heartbeat);
  }
  await send('done', {});
  response.end();
}

function dataOf(event: AnswerEvent): unknown {
  if (event.type === 'answer') return event.answer;
  return event.type === 'stage' ? { stage: event.stage } : { text: event.text };
}

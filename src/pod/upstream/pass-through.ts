import type { FastifyReply } from 'fastify';
import { Agent, request } from 'undici';
import { UpstreamFailed } from '../../contracts/problems.ts';
import { openaiBody } from '../../platform/http/errors/problem-shapes.ts';
import type { UpstreamEngine } from '../engine.ts';
import type { RequestMeter } from '../serving/measure-request.ts';
import { AnswerEnd } from './answer-end.ts';

/** No response timeout: the client decides how long to wait. */
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 5_000 } });

/** Hop-by-hop headers, which must not be forwarded. */
const hopByHopHeaders = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
]);

export interface PassedRequest {
  path: string;
  contentType: string;
  body: Buffer | string;
}

/** Sends a request to the server behind the pod and returns its status, headers and body unchanged. */
export async function passThrough(
  engine: UpstreamEngine,
  passed: PassedRequest,
  reply: FastifyReply,
  meter: RequestMeter,
  signal: AbortSignal,
): Promise<void> {
  const answer = await request(engine.baseUrl + passed.path, {
    method: 'POST',
    headers: { ...engine.headers, 'content-type': passed.contentType, accept: '*/*' },
    body: passed.body,
    dispatcher: agent,
    signal,
  }).catch((cause: Error) => {
    signal.throwIfAborted();
    throw new UpstreamFailed('the server behind this pod does not respond', { cause });
  });
  reply.hijack();
  const response = reply.raw;
  const own = reply.getHeaders() as Record<string, string>;
  const theirs = Object.entries(answer.headers).filter(([name]) => !hopByHopHeaders.has(name));
  response.writeHead(answer.statusCode, {
    ...own,
    ...(Object.fromEntries(theirs) as Record<string, string>),
  });
  response.socket?.setNoDelay(true);
  const end = new AnswerEnd();
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      meter.firstTokenSeen();
      end.add(chunk);
      if (!response.write(chunk)) await drained(response, signal);
    }
    const { promptTokens, completionTokens } = end.usage();
    meter.tokens(promptTokens, completionTokens);
    response.end();
  } catch (cause) {
    if (signal.aborted) return;
    meter.failed();
    const problem = new UpstreamFailed(
      'the server behind this pod disconnected in the middle of its response',
      {
        cause,
      },
    );
    reply.log.error({ err: cause }, problem.message);
    if (!String(answer.headers['content-type']).startsWith('text/event-stream')) response.destroy();
    else response.end(`event: error\ndata: ${JSON.stringify(openaiBody(problem))}\n\n`);
  }
}

function drained(response: FastifyReply['raw'], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    response.once('drain', resolve);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

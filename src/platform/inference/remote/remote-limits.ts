import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InferencePath } from '../../../contracts/inference-endpoints.ts';
import type { TokenCounts } from '../../../contracts/openai/read-usage.ts';
import { Problem } from '../../../contracts/problems.ts';
import type { KeyHolder } from '../../http/access.ts';
import type { KeyLimits } from '../../metering/key-limits.ts';
import type { UsageLedger } from '../../metering/usage/usage-ledger.ts';
import { AnswerTail, bytesPerToken, eventsIn } from '../streams/answer-tail.ts';

/** What holds callers to the limits of their keys where the dispatcher can't: it has another database. */
export interface LocalLimits {
  limits: Pick<KeyLimits, 'enter'>;
  usage: Pick<UsageLedger, 'record'>;
}

interface LimitedRequest {
  caller: KeyHolder;
  path: InferencePath;
  body: Buffer;
  /** As the caller named it, and as it is served. */
  model: string | undefined;
  served: string | undefined;
  /** Upper limit of the answer's tokens; 0 where the caller sets none. */
  maxTokens: number;
}

/** Recorded as the pod of the request: only the dispatcher knows which one it was. */
const pod = 'dispatcher';

/** Enters the caller's limits, or throws; settles them when the response closes. The result watches the answer. */
export async function enterLimits(
  { limits, usage }: LocalLimits,
  request: LimitedRequest,
  response: ServerResponse,
): Promise<(answer: IncomingMessage) => void> {
  const { caller, model, served } = request;
  const promptTokens = Math.ceil(request.body.length / bytesPerToken);
  const entrance = await limits.enter(caller, {
    ...(model === undefined ? {} : { model, served: served ?? model }),
    tokens: promptTokens + request.maxTokens,
  });
  if (entrance instanceof Problem) throw entrance;
  let counted: (() => TokenCounts) | undefined;
  const settle = () => {
    const left = !response.writableFinished;
    // A pod reads the prompt of a request even if the caller does not wait for the answer.
    const tokens = counted?.() ?? { promptTokens: left ? promptTokens : 0, completionTokens: 0 };
    entrance.settle({ tokens: tokens.promptTokens + tokens.completionTokens });
    if (served === undefined || (!counted && !left)) return;
    usage.record(caller.id, served, pod, left, tokens.promptTokens, tokens.completionTokens);
  };
  // The caller may have left in the meantime.
  if (response.closed || response.destroyed) entrance.settle({});
  else response.once('close', settle);
  return (answer) => {
    counted = count(answer, promptTokens, request.path);
  };
}

/** Reads the usage from the answer, or estimates it: a stream contains it only where the caller asked for it. */
function count(answer: IncomingMessage, promptTokens: number, path: InferencePath): () => TokenCounts {
  const tail = new AnswerTail();
  const isEvents = answer.headers['content-type']?.startsWith('text/event-stream') ?? false;
  let events = 0;
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    tail.add(chunk);
    bytes += chunk.length;
    if (isEvents) events += eventsIn(chunk);
  });
  return () => {
    const generates = path === '/v1/chat/completions' || path === '/v1/completions';
    // The last event is `[DONE]`.
    const written = isEvents ? Math.max(0, events - 1) : generates ? Math.ceil(bytes / bytesPerToken) : 0;
    return tail.usage() ?? { promptTokens, completionTokens: written };
  };
}

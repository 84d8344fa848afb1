import { setTimeout as sleep } from 'node:timers/promises';
import { DeadlineExceeded } from '../../contracts/problems.ts';
import { createAllowList } from './addresses/allow-list.ts';
import { type Lookup, systemLookup } from './addresses/guard.ts';
import { createGuardedAgent, createPlainAgent } from './addresses/guarded-agent.ts';
import { statusProblem } from './answers/answer-problem.ts';
import { isEncoded } from './answers/decode-body.ts';
import { createPace } from './answers/pace.ts';
import { patiently, type Wait } from './answers/patience.ts';
import { abandon, readBody, tooLarge } from './answers/read-body.ts';
import { discard, type RawAnswer, send } from './answers/send.ts';
import type { Outgoing, OutgoingAnswer, OutgoingRequest } from './outgoing.ts';
import type { OutgoingSettings } from './settings.ts';

export interface OutgoingDependencies {
  settings: OutgoingSettings;
  /** Default: the resolver of this machine. */
  lookup?: Lookup;
  wait?: Wait;
}

const usualWait: Wait = async (milliseconds, signal) => {
  await sleep(milliseconds, undefined, { signal });
};

/** Milliseconds for the body of a refusal. */
const refusalTime = 2_000;

/** Opens the way to addresses that users name. Proxies are used for trusted servers only: see decision 0250. */
export function createOutgoing(deps: OutgoingDependencies): Outgoing {
  const { settings, lookup = systemLookup, wait = usualWait } = deps;
  const agents = {
    guarded: createGuardedAgent({ allow: createAllowList(settings.allow), lookup }),
    plain: createPlainAgent(),
  };
  const pace = createPace();

  async function attempt(request: OutgoingRequest, signal: AbortSignal): Promise<RawAnswer> {
    const { origin } = new URL(request.url);
    const turn = { signal, wait, longestWait: settings.longest_wait };
    const patience = { ...turn, onRateLimit: (pause: number) => pace.hold(origin, pause) };
    const sendOnce = async () => {
      const answer = await send(agents, request, signal);
      if (answer.status < 400) return answer;
      const failed = { ...answer, text: await beginningOf(answer) };
      throw (await request.problemOf?.(failed)) ?? statusProblem(failed);
    };
    return patiently(patience, () => pace.send(origin, turn, sendOnce));
  }

  async function open(request: OutgoingRequest, signal: AbortSignal): Promise<OutgoingAnswer> {
    const deadline = startDeadline(request, request.time ?? settings.time_limit, signal);
    try {
      const answer = await attempt(request, deadline.signal);
      const size = sizeOf(answer);
      if (size !== null && size > request.limit) {
        abandon(answer);
        throw tooLarge(new URL(answer.url).host, request.limit);
      }
      const body = readBody(answer, {
        limit: request.limit,
        signal: deadline.signal,
        again: (offset, version) => {
          const headers = { ...request.headers, range: `bytes=${offset}-`, 'if-range': version };
          return attempt({ ...request, headers }, deadline.signal);
        },
      });
      const close = () => {
        deadline.clear();
        abandon(answer);
      };
      return { ...answer, size, body: closing(deadline.around(body), close), close };
    } catch (error) {
      throw deadline.explain(error);
    }
  }

  return {
    open,
    async close() {
      await Promise.all([agents.guarded.destroy(), agents.plain.destroy()]);
    },
  };
}

/** A generator that has not been started can't be closed by its `return`. */
function closing(body: AsyncGenerator<Uint8Array>, close: () => void): AsyncIterable<Uint8Array> {
  const iterator: AsyncIterableIterator<Uint8Array> = {
    next: () => body.next(),
    async return() {
      close();
      return body.return(undefined);
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

/** A server that sends a byte now and then does not prolong the time of a request. */
function startDeadline(request: OutgoingRequest, time: number, signal: AbortSignal) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), time);
  const clear = () => clearTimeout(timer);
  const explain = (error: unknown): unknown => {
    clear();
    if (signal.aborted || !late.signal.aborted) return error;
    const { host = 'the server' } = URL.parse(request.url) ?? {};
    return new DeadlineExceeded(`${host} did not complete its answer within ${time / 1000} s`);
  };
  async function* around(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      throw explain(error);
    } finally {
      clear();
    }
  }
  return { signal: AbortSignal.any([signal, late.signal]), clear, explain, around };
}

const sizeOf = ({ headers }: RawAnswer): number | null => {
  const length = headers['content-length'];
  return length && /^\d{1,15}$/.test(length) && !isEncoded(headers) ? Number(length) : null;
};

/** Up to 64 KiB of the body of a refusal, if it arrives soon. */
async function beginningOf(answer: RawAnswer): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => answer.body.destroy(), refusalTime);
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > 2 ** 16) break;
    }
  } catch {
    // The status says enough.
  } finally {
    clearTimeout(timer);
  }
  discard(answer.body);
  return Buffer.concat(chunks).toString('utf8');
}

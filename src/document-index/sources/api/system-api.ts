import type { z } from 'zod';
import type { Problem } from '../../../contracts/problems.ts';
import { Refused, statusProblem } from '../../../platform/outgoing/answers/answer-problem.ts';
import { isTemporary } from '../../../platform/outgoing/answers/patience.ts';
import { readJson } from '../../../platform/outgoing/answers/read-answer.ts';
import type { FailedAnswer, Outgoing, OutgoingAnswer } from '../../../platform/outgoing/outgoing.ts';
import { Unlistable } from './list-part.ts';

interface SystemOptions {
  /** Headers that only the system itself gets. */
  credentials: (signal: AbortSignal) => Promise<Record<string, string>>;
  headers?: Record<string, string>;
  /** Servers of a system whose address comes from the settings, so they are not checked. */
  trusted?(url: URL): boolean;
  /** What stands in front of its JSON. */
  prefix?: RegExp;
  /** Where the status alone says too little. */
  problemOf?(answer: FailedAnswer): Problem | undefined;
  /** What to do about a 401. */
  advice: string;
}

/** The HTTP API of a system that documents come from. */
export interface SystemApi {
  json<Schema extends z.ZodType>(schema: Schema, url: string, signal: AbortSignal): Promise<z.output<Schema>>;
  /** `time` in milliseconds; by default that of the settings. */
  open(url: string, options: { limit: number; signal: AbortSignal; time?: number }): Promise<OutgoingAnswer>;
}

const mostJson = 32 * 2 ** 20;
const jsonTime = 120_000;
/** Requests of one listing. A broken or hostile system may have folders in folders without end. */
const mostRequests = 50_000;
/** Requests of one listing in a row that fail although they are repeated. */
const mostFailures = 5;

export function createSystemApi(outgoing: Outgoing, options: SystemOptions): SystemApi {
  const { headers = {}, advice } = options;
  let requests = 0;
  let failures = 0;
  /** Each failure took several tries: without a limit, a server that is down would be asked for every folder. */
  const giveUp = (error: unknown) => {
    failures++;
    if (failures < mostFailures || !isTemporary(error)) throw error;
    throw new Unlistable(`${error.message}; ${failures} requests in a row failed`, { cause: error });
  };
  const problemOf = (answer: FailedAnswer) => {
    const { host } = new URL(answer.url);
    const known = options.problemOf?.(answer);
    if (known) return known;
    return answer.status === 401
      ? new Unlistable(`${host} refuses the login: ${advice}`)
      : statusProblem(answer);
  };
  const request = async (url: string, signal: AbortSignal) => ({
    url,
    headers,
    ...(options.trusted && { trusted: options.trusted }),
    problemOf,
    credentials: await options.credentials(signal),
  });
  return {
    async json(schema, url, signal) {
      requests++;
      if (requests > mostRequests) throw new Unlistable(`the listing of ${new URL(url).host} does not end`);
      const asked = { ...(await request(url, signal)), limit: mostJson, time: jsonTime };
      const read = async () =>
        readJson(
          await outgoing.open({ ...asked, headers: { accept: 'application/json', ...headers } }, signal),
          options.prefix,
        );
      const parsed = schema.safeParse(await read().catch(giveUp));
      failures = 0;
      if (parsed.success) return parsed.data;
      throw new Refused(`${new URL(url).host} answers in an unexpected form`, { cause: parsed.error });
    },
    open: async (url, { limit, signal, time }) =>
      outgoing.open({ ...(await request(url, signal)), limit, ...(time !== undefined && { time }) }, signal),
  };
}

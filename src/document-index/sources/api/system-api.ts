import type { z } from 'zod';
import type { Problem } from '../../../contracts/problems.ts';
import { Refused, statusProblem } from '../../../platform/outgoing/answers/answer-problem.ts';
import { readJson } from '../../../platform/outgoing/answers/read-answer.ts';
import type { FailedAnswer, Outgoing, OutgoingAnswer } from '../../../platform/outgoing/outgoing.ts';

interface SystemOptions {
  /** Headers that only the system itself gets. */
  credentials: () => Promise<Record<string, string>>;
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

export function createSystemApi(outgoing: Outgoing, options: SystemOptions): SystemApi {
  const { headers = {}, advice } = options;
  let requests = 0;
  const problemOf = (answer: FailedAnswer) => {
    const { host } = new URL(answer.url);
    const known = options.problemOf?.(answer);
    if (known) return known;
    return answer.status === 401
      ? new Refused(`${host} refuses the login: ${advice}`)
      : statusProblem(answer);
  };
  const request = async (url: string) => ({
    url,
    headers,
    ...(options.trusted && { trusted: options.trusted }),
    problemOf,
    credentials: await options.credentials(),
  });
  return {
    async json(schema, url, signal) {
      requests++;
      if (requests > mostRequests) throw new Refused(`the listing of ${new URL(url).host} does not end`);
      const asked = { ...(await request(url)), limit: mostJson, time: jsonTime };
      const answer = await outgoing.open(
        { ...asked, headers: { accept: 'application/json', ...headers } },
        signal,
      );
      const parsed = schema.safeParse(await readJson(answer, options.prefix));
      if (parsed.success) return parsed.data;
      throw new Refused(`${new URL(url).host} answers in an unexpected form`, { cause: parsed.error });
    },
    open: async (url, { limit, signal, time }) =>
      outgoing.open({ ...(await request(url)), limit, ...(time !== undefined && { time }) }, signal),
  };
}

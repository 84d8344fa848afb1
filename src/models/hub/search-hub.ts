import { z } from 'zod';
import { answerProblem, Refused } from '../files/http/answer-problem.ts';
import { discard } from '../files/http/close-answer.ts';
import { openAddress } from '../files/http/open-address.ts';
import { readText, withinTime } from '../files/http/read-answer.ts';
import type { HubAddress } from './hub-problems.ts';

const limits = { bytes: 4 * 2 ** 20, time: 10_000 };

/** The fields that we need of the hub's answer. */
const HubListing = z.array(
  z.object({
    id: z.string(),
    downloads: z.int().nullish(),
    pipeline_tag: z.string().nullish(),
    tags: z.array(z.string()).nullish(),
    gated: z.union([z.boolean(), z.string()]).nullish(),
  }),
);
export type HubListing = z.infer<typeof HubListing>;

export type SearchHub = (query: string, limit: number, signal: AbortSignal) => Promise<HubListing>;

/** Searches the names of the hub's models; the most downloaded come first. Someone waits, so it does not retry. */
export function hubSearch({ endpoint, token }: HubAddress): SearchHub {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  return (query, limit, signal) =>
    withinTime(limits, signal, async (timed) => {
      const search = new URLSearchParams({ search: query, limit: String(limit), sort: 'downloads' });
      const url = `${endpoint.replace(/\/+$/, '')}/api/models?${search}`;
      const answer = await openAddress({ url, headers }, { signal: timed });
      if (answer.status >= 300) {
        await discard(answer);
        throw answerProblem(answer);
      }
      return read(await readText(answer, limits, timed), answer.url);
    });
}

function read(text: string, url: string): HubListing {
  try {
    return HubListing.parse(JSON.parse(text));
  } catch (error) {
    throw new Refused(`${new URL(url).host} does not answer like a model hub`, { cause: error });
  }
}

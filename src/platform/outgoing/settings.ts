import { z } from 'zod';
import { timedDuration } from '../config/fields.ts';
import { isAllowEntry } from './addresses/allow-list.ts';

const outgoing = z.strictObject({
  allow: z
    .array(z.string().refine(isAllowEntry, 'expected a host, host:port or network such as 10.0.0.0/8'))
    .default([])
    .describe(
      'Hosts (wiki.corp.example), hosts with a port (127.0.0.1:8090) and networks (10.0.0.0/8) that users may name as ' +
        'sources although they are private. Addresses of this machine are opened only by an entry with a port.',
    ),
  time_limit: timedDuration()
    .default(30 * 60_000)
    .describe('How long the download of one file from an address that a user named may take.'),
  longest_wait: timedDuration()
    .default(60_000)
    .describe(
      'Longest pause that a server which limits the rate or is not available may ask for (Retry-After). If it asks for ' +
        'more, the request fails. Five times this is the longest that one request waits for rate limits in all.',
    ),
});

export const outgoingSettings = { outgoing: outgoing.prefault({}) };
export type OutgoingSettings = z.output<typeof outgoing>;

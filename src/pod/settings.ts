import { z } from 'zod';
import { secret } from '../platform/config/fields.ts';

const pod = z.strictObject({
  key: secret(8)
    .optional()
    .describe(
      "Key with the scope pods, with which a pod reports to the dispatcher. Only needed for a dispatcher that does not share the platform's database.",
    ),
  secret: secret(8)
    .optional()
    .describe(
      'Secret of a pod that was started by hand: it then answers only its dispatcher. Pods that the platform starts always have one.',
    ),
});

/** What a pod process reads, besides its command line. */
export const podSettings = { pod: pod.prefault({}) };

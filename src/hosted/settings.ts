import { z } from 'zod';

const hosted = z.strictObject({
  registration: z
    .enum(['open', 'approval', 'closed'])
    .optional()
    .describe('Who may register for a key. Default: approval; open where auth.open is set.'),
});

export const hostedSettings = { hosted: hosted.prefault({}) };

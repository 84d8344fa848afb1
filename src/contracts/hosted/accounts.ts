import { z } from 'zod';
import { Name } from '../fields.ts';

export const RegisterRequest = z
  .strictObject({ email: z.email().max(254), name: Name.optional() })
  .meta({ id: 'RegisterRequest' });
export type RegisterRequest = z.infer<typeof RegisterRequest>;

export const RegisterResponse = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    status: z
      .enum(['active', 'pending'])
      .describe('`pending`: the key works once an administrator has approved it'),
    key: z.string().describe('Shown only this once'),
  })
  .meta({ id: 'RegisterResponse' });
export type RegisterResponse = z.infer<typeof RegisterResponse>;

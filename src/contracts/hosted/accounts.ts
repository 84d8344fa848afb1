import { z } from 'zod';
import { ApiKey, ApiKeyLimits, KeyName } from '../api-keys.ts';
import { Timestamp } from '../fields.ts';

export const RegisterRequest = z
  .strictObject({
    email: z.email({ error: 'must be an e-mail address' }).max(254),
    name: KeyName.optional(),
  })
  .meta({ id: 'RegisterRequest' });
export type RegisterRequest = z.infer<typeof RegisterRequest>;

export const AccountStatus = z
  .enum(['pending', 'active', 'closed'])
  .describe(
    '`pending`: its key works once an administrator has approved it. `closed`: refused, or closed later; its key is revoked',
  )
  .meta({ id: 'AccountStatus' });
export type AccountStatus = z.infer<typeof AccountStatus>;

const accountFields = {
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  status: AccountStatus,
};

export const RegisterResponse = z
  .object({ ...accountFields, key: z.string().describe('Shown only this once') })
  .meta({ id: 'RegisterResponse' });
export type RegisterResponse = z.infer<typeof RegisterResponse>;

export const Account = z
  .object({
    ...accountFields,
    created_at: Timestamp,
    decided_at: Timestamp.nullable().describe('When it was approved or closed'),
    key: ApiKey.nullable(),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof Account>;

export const AccountQuery = z.strictObject({ status: AccountStatus.optional() });
export type AccountQuery = z.infer<typeof AccountQuery>;

export const ApproveRequest = z
  .strictObject({
    limits: ApiKeyLimits.optional().describe('Limits of the key. Default: those of `hosted.limits`'),
  })
  .meta({ id: 'ApproveRequest' });
export type ApproveRequest = z.infer<typeof ApproveRequest>;

import { z } from 'zod';
import { Name, Timestamp } from './fields.ts';

/** `pods`: report as a pod and fetch its model, and nothing else. */
export const Scope = z.enum(['admin', 'inference', 'index', 'index:read', 'pods']).meta({ id: 'Scope' });
export type Scope = z.infer<typeof Scope>;

/** Limits of a key; an absent or null value means unlimited. */
export const ApiKeyLimits = z
  .strictObject({
    requests_per_minute: z.int().min(1).nullish().describe('Requests per minute'),
    tokens_per_minute: z.int().min(1).nullish().describe('Tokens of prompts and answers per minute'),
    tokens_per_month: z.int().min(1).nullish().describe('Tokens of prompts and answers per month (UTC)'),
    pages_per_minute: z.int().min(1).nullish().describe('Pages of documents that layout reads per minute'),
    pages_per_month: z
      .int()
      .min(1)
      .nullish()
      .describe('Pages of documents that layout reads per month (UTC)'),
    parallel_requests: z.int().min(1).nullish().describe('Requests at the same time'),
    models: z
      .array(z.string().min(1).max(512))
      .max(1000)
      .nullish()
      .describe('The models that this key may use. Default: all'),
  })
  .meta({ id: 'ApiKeyLimits' });
export type ApiKeyLimits = z.infer<typeof ApiKeyLimits>;

/** The audit log uses these words for callers without a key and for the platform itself. */
const reservedName = /^(anonymous|platform)(\s*[(:].*)?$/iu;

/** A name that nobody takes for another actor in the audit log. */
export const KeyName = Name.refine((name) => !reservedName.test(name), {
  error: "must not be 'anonymous' or 'platform', which the audit log uses for other actors",
});
const keyScopes = z
  .array(Scope)
  .min(1)
  .refine((scopes) => new Set(scopes).size === scopes.length, 'must not name a scope twice');

export const ApiKeyRequest = z
  .strictObject({
    name: KeyName,
    owner: Name.nullish(),
    scopes: keyScopes,
    expires_at: Timestamp.nullish(),
    limits: ApiKeyLimits.default({}),
  })
  .meta({ id: 'ApiKeyRequest' });
export type ApiKeyRequest = z.infer<typeof ApiKeyRequest>;

/** Only the given fields change. `limits` is replaced as a whole. */
export const ApiKeyChanges = z
  .strictObject({
    name: KeyName.optional(),
    owner: Name.nullish(),
    scopes: keyScopes.optional(),
    expires_at: Timestamp.nullish().describe('null: the key does not expire'),
    limits: ApiKeyLimits.optional(),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), 'must change something')
  .meta({ id: 'ApiKeyChanges' });
export type ApiKeyChanges = z.infer<typeof ApiKeyChanges>;

const apiKeyFields = {
  id: z.string(),
  name: z.string(),
  owner: z.string().nullable(),
  prefix: z.string().describe('The first characters of the key'),
  scopes: z.array(Scope),
  limits: ApiKeyLimits,
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
  revoked_at: Timestamp.nullable(),
  pending: z.boolean().describe('The key works once an administrator has approved its account'),
};

/** A key without the key itself, of which only a hash is stored. */
export const ApiKey = z.object(apiKeyFields).meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

/** The only response that contains the key itself. */
export const ApiKeyCreated = z
  .object({ ...apiKeyFields, key: z.string().regex(/^rh-[A-Za-z0-9]{40}$/) })
  .meta({ id: 'ApiKeyCreated' });
export type ApiKeyCreated = z.infer<typeof ApiKeyCreated>;

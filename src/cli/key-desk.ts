import { type ApiKey, type ApiKeyCreated, ApiKeyRequest } from '../contracts/api-keys.ts';
import { systemClock } from '../contracts/clock.ts';
import { adminKeyFile, readAdminKey } from '../platform/auth/admin-key.ts';
import { createKey, describeKeys, revokeKey } from '../platform/auth/manage-keys.ts';
import type { Config } from '../platform/config/resolve-config.ts';
import { DatabaseInUse } from '../platform/database/folder-lock.ts';
import { openDatabase } from '../platform/database/open-database.ts';
import { StartupError } from '../platform/startup-error.ts';
import { platformAddress } from './server-address.ts';

/** Where keys are made and revoked: in the database, or by the running platform where that holds the database alone. */
export interface KeyDesk {
  create(request: unknown): Promise<ApiKeyCreated>;
  list(): Promise<ApiKey[]>;
  revoke(id: string): Promise<ApiKey>;
  close(): Promise<void>;
}

export async function openKeyDesk(config: Config): Promise<KeyDesk> {
  try {
    const database = await openDatabase({ url: config.database.url });
    const deps = { database, clock: systemClock };
    return {
      create: async (request) => createKey(deps, checked(request)),
      list: () => describeKeys(deps),
      revoke: (id) => revokeKey(deps, id),
      close: () => database.close(),
    };
  } catch (error) {
    if (!(error instanceof DatabaseInUse)) throw error;
    return remoteDesk(config);
  }
}

function remoteDesk(config: Config): KeyDesk {
  const address = platformAddress(config);
  const key = config.admin_token ?? readAdminKey(adminKeyFile(config.data_dir));
  if (!key)
    throw new StartupError(
      `${adminKeyFile(config.data_dir)} is not there: set ROUNDHOUSE_ADMIN_TOKEN to an admin key`,
    );
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${address}/api/v1/keys/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      throw new StartupError(`the running platform at ${address} can't be reached: ${error.message}`);
    });
    const answer = (await response.json()) as { detail?: unknown };
    if (!response.ok)
      throw new StartupError(
        typeof answer.detail === 'string' ? answer.detail : JSON.stringify(answer.detail),
      );
    return answer as never;
  };
  return {
    create: async (request) => call('POST', '', checked(request)),
    list: () => call('GET', ''),
    revoke: (id) => call('DELETE', encodeURIComponent(id)),
    close: async () => {},
  };
}

function checked(request: unknown): ApiKeyRequest {
  const parsed = ApiKeyRequest.safeParse(request);
  if (parsed.success) return parsed.data;
  throw new StartupError(
    parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '),
  );
}

import { platformActor } from '../../contracts/actor.ts';
import { type ApiKey, type ApiKeyCreated, ApiKeyRequest } from '../../contracts/api-keys.ts';
import { systemClock } from '../../contracts/clock.ts';
import { migrations } from '../../migrations.ts';
import { createKey } from '../../platform/auth/create-key.ts';
import { describeKeys } from '../../platform/auth/describe-keys.ts';
import { revokeKey } from '../../platform/auth/revoke-key.ts';
import { DatabaseInUse } from '../../platform/database/folder-lock.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import { StartupError } from '../../platform/startup-error.ts';
import type { Config } from '../../settings.ts';
import { managementApi } from './management-api.ts';

/** Manages keys in the database, or through the running platform if that has the database locked. */
export interface KeyClient {
  create(request: unknown): Promise<ApiKeyCreated>;
  list(): Promise<ApiKey[]>;
  revoke(id: string): Promise<ApiKey>;
  close(): Promise<void>;
}

export async function openKeyClient(config: Config): Promise<KeyClient> {
  try {
    const database = await openDatabase({ url: config.database.url, migrations });
    const deps = { database, clock: systemClock };
    const actor = platformActor('command line');
    return {
      create: async (request) => createKey(deps, actor, checked(request)),
      list: () => describeKeys(deps),
      revoke: (id) => revokeKey(deps, actor, id),
      close: () => database.close(),
    };
  } catch (error) {
    if (!(error instanceof DatabaseInUse)) throw error;
    return remoteClient(config);
  }
}

function remoteClient(config: Config): KeyClient {
  const { call } = managementApi(config);
  return {
    create: async (request) => call('POST', 'keys/', checked(request)),
    list: () => call('GET', 'keys/'),
    revoke: (id) => call('DELETE', `keys/${encodeURIComponent(id)}`),
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

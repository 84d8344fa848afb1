import { platformActor } from '../../contracts/actor.ts';
import { type ApiKeyCreated, ApiKeyRequest } from '../../contracts/api-keys.ts';
import { systemClock } from '../../contracts/clock.ts';
import { migrations } from '../../migrations.ts';
import { createKey } from '../../platform/auth/keys/create-key.ts';
import { DatabaseInUse } from '../../platform/database/folder-lock.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import { toInputIssues } from '../../platform/http/errors/input-issues.ts';
import { StartupError } from '../../platform/startup-error.ts';
import type { Config } from '../../settings.ts';
import { inWords } from './refusal.ts';
import { readAddress } from './server-address.ts';

/** Creates a key in the database itself, for an operator who has lost every admin key. */
export async function createKeyOffline(config: Config, request: unknown): Promise<ApiKeyCreated> {
  const parsed = ApiKeyRequest.safeParse(request);
  if (!parsed.success) {
    throw new StartupError(inWords(toInputIssues(parsed.error.issues, 'body', request), 422));
  }
  await refuseWhileRunning(config);
  const database = await openDatabase({ url: config.database.url, migrations }).catch((error) => {
    throw error instanceof DatabaseInUse ? running(error.message) : error;
  });
  try {
    return await createKey({ database, clock: systemClock }, platformActor('command line'), parsed.data);
  } finally {
    await database.close();
  }
}

/** Only SQLite locks its database; on PostgreSQL the platform of this data folder is asked. */
async function refuseWhileRunning({ data_dir }: Config): Promise<void> {
  const address = readAddress(data_dir);
  if (address === undefined) return;
  const answer = await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  if (answer?.ok) throw running(`it answers at ${address}`);
}

const running = (reason: string) =>
  new StartupError(`--offline is for a stopped platform, and this one is running: ${reason}`);

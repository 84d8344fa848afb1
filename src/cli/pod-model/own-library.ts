import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { hubHome } from '../../models/hub/find-cached.ts';
import { processEnvironment } from '../../platform/config/environment.ts';
import { DatabaseInUse } from '../../platform/database/folder-lock.ts';
import type { Config } from '../../settings.ts';
import { askFiles, type PlatformToJoin } from '../joining/platform-client.ts';
import type { DescribedModel } from './fit-engine.ts';

type LibraryConfig = Pick<Config, 'data_dir' | 'database' | 'hub'>;

/**
 * A model in the library of this machine's data folder: asked from the platform that runs, or read from the database if
 * none does. Undefined if it is not there.
 */
export async function findInOwnLibrary(
  config: LibraryConfig,
  platform: PlatformToJoin | undefined,
  id: string,
): Promise<DescribedModel | undefined> {
  const listed = platform && (await askFiles(platform, id, { namesOnly: true }).catch(() => undefined));
  if (listed) return isHere(config, listed) ? listed : undefined;
  const stored = await readDatabase(config, id);
  return stored && isHere(config, stored) ? stored : undefined;
}

async function readDatabase(
  { data_dir, database: { url } }: LibraryConfig,
  id: string,
): Promise<DescribedModel | undefined> {
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  if (file === undefined || !existsSync(file)) return undefined;
  const { openDatabase } = await import('../../platform/database/open-database.ts');
  const { migrations } = await import('../../migrations.ts');
  const database = await openDatabase({ url, migrations }).catch((error: unknown) => {
    if (error instanceof DatabaseInUse) return undefined;
    throw error;
  });
  if (!database) return undefined;
  try {
    const { createModelLibrary } = await import('../../models/library/model-library.ts');
    const { readHubModels } = await import('../../models/catalog/catalog.ts');
    const { ModelStore } = await import('../../models/catalog/model-store.ts');
    const { describeFiles } = await import('../../models/library/serving/list-files.ts');
    const library = createModelLibrary({
      database,
      catalogModels: new ModelStore(data_dir),
      engines: [],
      hubModels: readHubModels(),
    });
    const record = await library.find(id);
    return record && { ...describeFiles(record), files: record.files.map((path) => ({ path })) };
  } finally {
    await database.close();
  }
}

/** A platform with another data folder may run in a container, where the same path means something else. */
function isHere({ data_dir, hub }: LibraryConfig, { folder }: DescribedModel): boolean {
  const roots = [data_dir, join(hubHome(hub.home, processEnvironment()), 'hub')];
  return roots.some((root) => !relative(root, folder).startsWith('..')) && existsSync(folder);
}

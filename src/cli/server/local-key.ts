import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The admin key that the first start stored in the data folder, if this user can read it. */
export function readLocalKey(dataDir: string): string | undefined {
  try {
    return readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  } catch {
    return undefined;
  }
}

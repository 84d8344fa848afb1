import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseInUse } from '../../platform/database/folder-lock.ts';
import { StartupError } from '../../platform/startup-error.ts';

/** If the data folder belongs to a running platform that listens, an error that says where; otherwise the given error. */
export function explainRunning(error: unknown, dataDir: string): unknown {
  if (!(error instanceof DatabaseInUse)) return error;
  try {
    const address = readFileSync(join(dataDir, 'address'), 'utf8').trim();
    return new StartupError(`Roundhouse is already running at ${address}. ${error.message}`);
  } catch {
    // It has not got that far yet.
    return error;
  }
}

import { DatabaseInUse } from '../../platform/database/folder-lock.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { readAddress } from '../server/server-address.ts';

/** If the data folder belongs to a running platform that listens, an error that says where; otherwise the given error. */
export function explainRunning(error: unknown, dataDir: string): unknown {
  if (!(error instanceof DatabaseInUse)) return error;
  const address = readAddress(dataDir);
  // It may not have got that far yet.
  return address ? new StartupError(`Roundhouse is already running at ${address}. ${error.message}`) : error;
}

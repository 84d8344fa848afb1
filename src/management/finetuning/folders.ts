import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Where a run's files lie below the data folder. */
export interface RunFolders {
  /** The finished adapter: appears whole. */
  output: string;
  /** Data, settings and checkpoints; the same for every run of this name, so that the next goes on from the last. */
  work: string;
  log: string;
}

export function runFolders(dataDir: string, run: { id: string; name: string }): RunFolders {
  const folder = folderName(run.name);
  return {
    output: join(dataDir, 'adapters', folder),
    work: join(dataDir, 'finetuning', 'runs', folder),
    log: join(dataDir, 'finetuning', 'logs', `${run.id}.log`),
  };
}

/** Names in any script are allowed, and file systems are not so generous with bytes. */
function folderName(name: string): string {
  if (/^[A-Za-z0-9][\w.-]*$/.test(name)) return name;
  return `adapter-${createHash('sha256').update(name.normalize('NFC')).digest('hex').slice(0, 24)}`;
}

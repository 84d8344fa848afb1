import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Paths of a run's files in the data folder. */
export interface RunFolders {
  /** The finished adapter, created atomically. */
  output: string;
  /** Data, settings and checkpoints; shared by all runs of this name, so that the next one can resume. */
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

/** Names may use any script, but file systems limit the bytes of a name. */
function folderName(name: string): string {
  if (/^[A-Za-z0-9][\w.-]*$/.test(name)) return name;
  return `adapter-${createHash('sha256').update(name.normalize('NFC')).digest('hex').slice(0, 24)}`;
}

import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

interface Sweep {
  /** `<data_dir>/pods`. */
  folder: string;
  machine: string;
  /** Names of the folders of pods that run here. */
  running: ReadonlySet<string>;
  /** Folders that were last written to before this time are deleted. */
  before: number;
}

/** The file in a pod's folder that names the machine whose platform runs the pod. */
export const ownerFile = 'machine';

/** Deletes the log folders of pods that are gone. Those of other machines that share the data folder are kept. */
export async function sweepLogs({ folder, machine, running, before }: Sweep): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    if (running.has(name) || (await ownerOf(path, machine)) !== machine) continue;
    if ((await lastWrite(path)) < before) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** Folders from before owners were recorded count as this machine's. */
const ownerOf = (path: string, machine: string) =>
  readFile(join(path, ownerFile), 'utf8').catch(() => machine);

async function lastWrite(path: string): Promise<number> {
  const names = await readdir(path).catch(() => []);
  const times = [path, ...names.map((name) => join(path, name))].map((file) =>
    stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  return Math.max(...(await Promise.all(times)));
}

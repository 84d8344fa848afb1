import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { StartupError } from '../../platform/startup-error.ts';

export interface FoundDocument {
  path: string;
  /** What the bot knows it by. */
  name: string;
}

/** The files that paths name: files themselves, and all files below folders but hidden ones, in a fixed order. */
export async function findDocuments(paths: readonly string[]): Promise<FoundDocument[]> {
  const files: { path: string; below: string }[] = [];
  for (const path of paths) {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      throw new StartupError(
        error.code === 'ENOENT' ? `no such file or folder: ${path}` : `${path} can't be read (${error.code})`,
      );
    });
    if (!found.isDirectory()) files.push({ path, below: basename(path) });
    else for (const file of await filesBelow(path)) files.push({ path: file, below: relative(path, file) });
  }
  if (files.length === 0) throw new StartupError(`there are no files in ${paths.join(', ')}`);
  return distinctNames(files);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const visible = entries.filter(({ name }) => !name.startsWith('.'));
  const found: string[] = [];
  for (const entry of visible.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path)));
    else if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(path)))) found.push(path);
  }
  return found;
}

const isFile = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/** Names are unique within a bot, so files of the same name in different folders also get the names of the folders. */
function distinctNames(files: readonly { path: string; below: string }[]): FoundDocument[] {
  const counts = new Map<string, number>();
  for (const { below } of files) counts.set(basename(below), (counts.get(basename(below)) ?? 0) + 1);
  const named = files.map(({ path, below }) => {
    const name = basename(below);
    return { path, name: counts.get(name) === 1 ? name : below.split(sep).join(' - ') };
  });
  const taken = new Map<string, string>();
  for (const { path, name } of named) {
    const other = taken.get(name);
    if (other !== undefined) throw new StartupError(`${other} and ${path} have the same name: ${name}`);
    taken.set(name, path);
  }
  return named;
}

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Documents } from '../../documents/read-document.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { drawPage, pageDrawings } from './draw-page.ts';
import type { ReadFile } from './read-file.ts';

export async function openFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(`the folder ${folder} can't be created (${error.code})`);
  });
}

/** Names for outputs, so that files of the same name from different folders do not overwrite each other. */
export function uniqueNames(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name.toLowerCase()) ?? 0) + 1;
    seen.set(name.toLowerCase(), count);
    return count === 1 ? name : `${count}-${name}`;
  });
}

export async function writeText(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text).catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(`the file ${path} can't be written (${error.code})`);
  });
  return path;
}

/** Writes a drawing per page; returns how many. */
export async function drawFile(
  {
    documents,
    folder,
    signal,
  }: { documents: Pick<Documents, 'drawPage'>; folder: string; signal: AbortSignal },
  name: string,
  { path, elements, summary }: Pick<ReadFile, 'path' | 'elements' | 'summary'>,
): Promise<number> {
  const drawings = pageDrawings(elements);
  for (const drawing of drawings) {
    const picture = await documents.drawPage(
      { path, type: summary.type },
      { number: drawing.page, turned: drawing.turned },
      signal,
    );
    await writeText(
      folder,
      `${name}-${String(drawing.page).padStart(4, '0')}.svg`,
      drawPage(drawing, picture),
    );
  }
  return drawings.length;
}

import { unsupported } from '../files/unsupported.ts';
import { itemProblem } from '../item-problem.ts';
import type { SourceItem } from '../source.ts';
import type { createDriveAFiles, DriveAFile } from './drive-a-files.ts';
import type { DriveALink } from './drive-a-link.ts';
import { exportFormat, folderType, isNative, shortcutType } from './native-formats.ts';

type Files = ReturnType<typeof createDriveAFiles>;

/** Remembers the resource keys of files, which later requests must send. */
export type ResourceKeys = Map<string, string>;

interface Walk {
  files: Files;
  keys: ResourceKeys;
  /** Folders that were visited: shortcuts may lead in a circle. */
  seen: Set<string>;
}

/** A file, or all files of a folder and the folders in it, with what shortcuts lead to. */
export async function* listDriveA(
  files: Files,
  { id }: DriveALink,
  keys: ResourceKeys,
): AsyncGenerator<SourceItem> {
  const root = await files.file(id);
  yield* listFile({ files, keys, seen: new Set() }, root, []);
}

async function* listFile(walk: Walk, file: DriveAFile, path: string[]): AsyncGenerator<SourceItem> {
  if (file.resourceKey) walk.keys.set(file.id, file.resourceKey);
  if (file.mimeType === shortcutType) yield* listTarget(walk, file, path);
  else if (file.mimeType === folderType) yield* listFolder(walk, file, path);
  else yield fileItem(file, path);
}

async function* listFolder(walk: Walk, folder: DriveAFile, path: string[]): AsyncGenerator<SourceItem> {
  if (walk.seen.has(folder.id)) return;
  walk.seen.add(folder.id);
  for await (const file of walk.files.inFolder(folder.id))
    yield* listFile(walk, file, [...path, folder.name]);
}

/** A shortcut to something that is gone or forbidden is a problem of that item alone. */
async function* listTarget(walk: Walk, shortcut: DriveAFile, path: string[]): AsyncGenerator<SourceItem> {
  const { targetId, targetResourceKey } = shortcut.shortcutDetails ?? { targetId: '' };
  if (targetResourceKey) walk.keys.set(targetId, targetResourceKey);
  const target = await walk.files.file(targetId).catch(itemProblem);
  if ('problem' in target) {
    const url = shortcut.webViewLink ?? '';
    const problem = `the shortcut leads nowhere: ${target.problem}`;
    yield {
      id: `shortcut:${shortcut.id}`,
      version: null,
      name: shortcut.name,
      url,
      size: null,
      path,
      problem,
    };
  } else if (target.mimeType !== shortcutType) yield* listFile(walk, target, path);
}

function fileItem(file: DriveAFile, path: string[]): SourceItem {
  const format = exportFormat(file.mimeType);
  const url = new URL(file.webViewLink ?? `https://drive.google.com/file/d/${file.id}/view`);
  if (file.resourceKey) url.searchParams.set('resourcekey', file.resourceKey);
  return {
    id: `${format ? format.ending.slice(1) : 'file'}:${file.id}`,
    version: file.md5Checksum ?? file.modifiedTime ?? null,
    name: format && !file.name.toLowerCase().endsWith(format.ending) ? file.name + format.ending : file.name,
    url: url.href,
    size: file.size ?? null,
    path,
    ...problemOf(file, format !== undefined),
  };
}

function problemOf(file: DriveAFile, exported: boolean): { problem: string } | undefined {
  if (file.capabilities?.canDownload === false) return { problem: 'the owner of the file forbids downloads' };
  if (exported) return undefined;
  if (isNative(file.mimeType)) return { problem: `a ${file.mimeType.split('.').at(-1)} can't be exported` };
  return unsupported(file.name, file.mimeType);
}

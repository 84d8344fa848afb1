import { Gone, Refused } from '../../../platform/outgoing/answers/answer-problem.ts';
import { listPart, listRoot, type Part } from '../api/list-part.ts';
import { unsupported } from '../files/unsupported.ts';
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

type Above = Pick<Part, 'path' | 'containers'>;

/** A file, or all files of a folder and the folders in it, with what shortcuts lead to. */
export async function* listDriveA(
  files: Files,
  { id }: DriveALink,
  keys: ResourceKeys,
): AsyncGenerator<SourceItem> {
  const root = await files.file(id);
  const walk = { files, keys, seen: new Set<string>() };
  const above = { path: [], containers: [] };
  if (root.mimeType === folderType)
    yield* listRoot(partOf('folder', root, above), () => listFolder(walk, root, above));
  else yield* listFile(walk, root, above);
}

async function* listFile(walk: Walk, file: DriveAFile, above: Above): AsyncGenerator<SourceItem> {
  if (file.resourceKey) walk.keys.set(file.id, file.resourceKey);
  if (file.mimeType === shortcutType) {
    yield* listPart(partOf('shortcut', file, above), () => listTarget(walk, file, above));
  } else if (file.mimeType === folderType) {
    yield* listPart(partOf('folder', file, above), () => listFolder(walk, file, above));
  } else yield fileItem(file, above);
}

async function* listFolder(walk: Walk, folder: DriveAFile, above: Above): AsyncGenerator<SourceItem> {
  if (walk.seen.has(folder.id)) return;
  walk.seen.add(folder.id);
  if (folder.capabilities?.canListChildren === false) {
    throw new Refused('the service account may see the folder, but not what is in it');
  }
  const inside = {
    path: [...above.path, folder.name],
    containers: [...above.containers, partOf('folder', folder, above).id],
  };
  for await (const file of walk.files.inFolder(folder.id)) yield* listFile(walk, file, inside);
}

async function* listTarget(walk: Walk, shortcut: DriveAFile, above: Above): AsyncGenerator<SourceItem> {
  const { targetId, targetResourceKey } = shortcut.shortcutDetails ?? { targetId: '' };
  if (targetResourceKey) walk.keys.set(targetId, targetResourceKey);
  const target = await walk.files.file(targetId).catch((error: unknown) => {
    if (!(error instanceof Gone)) throw error;
    throw new Gone(`the shortcut leads nowhere: ${error.message}`);
  });
  const containers = [...above.containers, partOf('shortcut', shortcut, above).id];
  if (target.mimeType !== shortcutType) yield* listFile(walk, target, { ...above, containers });
}

function partOf(kind: 'folder' | 'shortcut', { id, name, webViewLink }: DriveAFile, above: Above): Part {
  const url = webViewLink ?? `https://drive.google.com/drive/folders/${id}`;
  return { id: `${kind}:${id}`, name, url, path: above.path, containers: above.containers };
}

function fileItem(file: DriveAFile, { path, containers }: Above): SourceItem {
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
    containers,
    ...problemOf(file, format !== undefined),
  };
}

function problemOf(file: DriveAFile, exported: boolean): { problem: string; gone?: true } | undefined {
  // A folder's own list leaves such files out, but links and shortcuts still lead to them.
  if (file.trashed) return { problem: 'it is in the trash', gone: true };
  if (file.capabilities?.canDownload === false) return { problem: 'the owner of the file forbids downloads' };
  if (exported) return undefined;
  if (isNative(file.mimeType)) return { problem: `a ${file.mimeType.split('.').at(-1)} can't be exported` };
  return unsupported(file.name, file.mimeType);
}

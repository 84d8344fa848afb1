import { typeOfMime, typeOfName } from '../../../documents/detection/file-types.ts';

/** Why a file can't be indexed, by its name and media type; undefined where its content has to decide. */
export function unsupported(name: string, type?: string | null): { problem: string } | undefined {
  if (typeOfName(name) || typeOfMime(type ?? undefined)) return undefined;
  const ending = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase();
  if (!ending && (!type || /octet-stream|^text\//i.test(type))) return undefined;
  return { problem: `files of the type ${ending ? `.${ending}` : type} can't be read` };
}

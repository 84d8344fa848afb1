import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelFiles } from '../../../contracts/management/model-files.ts';
import { Conflict, NotFound } from '../../../contracts/problems.ts';
import type { FileHash } from '../../files/fetching/remote-file.ts';
import type { ModelLibrary } from '../model-library.ts';
import type { ModelRecord } from '../model-record.ts';
import type { FileHashes } from './file-hashes.ts';

export interface FileDependencies {
  library: Pick<ModelLibrary, 'find'>;
  hashes: FileHashes;
}

/** A file of a model that can be opened. */
export interface LibraryFile {
  path: string;
  size: number;
  hash: FileHash;
}

/** The files of a model, each with its size and hash. */
export async function listFiles(
  { library, hashes }: FileDependencies,
  id: string,
  { namesOnly = false }: { namesOnly?: boolean } = {},
): Promise<ModelFiles> {
  const record = await recordOf(library, id);
  const files: ModelFiles['files'] = [];
  for (const path of filesOf(record)) {
    files.push({ path, ...(await (namesOnly ? sizeOf : hashed)(hashes, record, path)) });
  }
  return { ...describeFiles(record), files };
}

/** What the library knows of a model without reading its files. */
export function describeFiles(record: ModelRecord): Omit<ModelFiles, 'files'> {
  const { adapter, format, folder, facts } = record;
  return {
    model_id: record.id,
    adapter,
    task: facts.task ?? null,
    format,
    quantization: facts.quantization ?? null,
    folder,
    converted: facts.conversion?.file ?? null,
  };
}

/** One file of a model. Only names that `listFiles` lists are found, so that no path leads out of the model's folder. */
export async function findFile(
  { library, hashes }: FileDependencies,
  id: string,
  path: string,
): Promise<LibraryFile> {
  const record = await recordOf(library, id);
  if (!filesOf(record).has(path)) throw new NotFound('file', path);
  return { path: join(record.folder, path), ...(await hashed(hashes, record, path)) };
}

async function recordOf(library: FileDependencies['library'], id: string): Promise<ModelRecord> {
  const record = await library.find(id);
  if (record) return record;
  throw new NotFound('model', id, { code: 'model_not_found' });
}

const filesOf = ({ files, facts }: ModelRecord): ReadonlySet<string> =>
  new Set([...files, ...(facts.conversion?.file ? [facts.conversion.file] : [])]);

function hashed(hashes: FileHashes, record: ModelRecord, path: string) {
  return hashes.of(join(record.folder, path)).catch((error) => refuse(record, path, error));
}

async function sizeOf(_hashes: FileHashes, record: ModelRecord, path: string) {
  const { size } = await stat(join(record.folder, path)).catch((error) => refuse(record, path, error));
  return { size, hash: null };
}

function refuse({ id }: ModelRecord, path: string, error: NodeJS.ErrnoException): never {
  throw new Conflict(`${path} of the model '${id}' can't be read on the platform (${error.code})`, {
    code: 'model_damaged',
    cause: error,
  });
}

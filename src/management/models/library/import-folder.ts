import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../../contracts/clock.ts';
import type { PodEngine } from '../../../contracts/dispatcher/pod-plan.ts';
import { BadRequest, OutOfSpace } from '../../../contracts/problems.ts';
import type { WorkContext } from '../../../platform/queue/work-kind.ts';
import { type Converter, convertWhereNeeded } from '../conversion/conversion-step.ts';
import { adapterBase, readFacts } from '../facts/read-facts.ts';
import { chooseFiles } from '../hub/choose-files.ts';
import type { ListedFile } from '../hub/hub-client.ts';
import type { Origins } from '../package-origins.ts';
import type { DownloadPayload } from './add-model.ts';
import { entryOf } from './model-library.ts';
import { saveModel } from './models-store.ts';

interface ImportDependencies {
  clock: Clock;
  importedFolder: string;
  engines: readonly PodEngine[];
  origins: Pick<Origins, 'pypi'>;
  converter?: Converter | undefined;
}

/** Copies a model out of a folder (a memory stick, a share, a snapshot of the hub's cache), with no hub in sight. */
export async function importFolder(
  deps: ImportDependencies,
  context: WorkContext,
  payload: DownloadPayload & { from: 'folder' },
): Promise<void> {
  const { signal } = context;
  const found = await listFiles(payload.folder);
  const repository = { name: payload.model_id, commit: '', files: found, license: null, pipelineTag: null };
  const chosen = chooseFiles(
    { ...repository, library: null, baseModel: null },
    { quantization: null, engines: deps.engines },
  );
  const total = chosen.files.reduce((sum, file) => sum + (file.size ?? 0), 0);
  const target = join(deps.importedFolder, payload.model_id.replaceAll('/', '--'));
  const arriving = `${target}.partial`;
  let done = 0;
  for (const file of chosen.files) {
    signal.throwIfAborted();
    context.report({ done, total, unit: 'bytes', file: file.path });
    await copy(join(payload.folder, file.path), join(arriving, file.path));
    done += file.size ?? 0;
  }
  await rm(target, { recursive: true, force: true });
  await rename(arriving, target);
  const { format } = chosen;
  const arrived = { folder: target, format, files: chosen.files.map((file) => file.path) };
  context.report({ done: total, total, unit: 'bytes' });
  const { facts, files } = await convertWhereNeeded(
    deps,
    { ...arrived, id: payload.model_id, facts: await readFacts(arrived, {}, deps.engines) },
    { signal, onProgress: context.report },
  );
  await context.finish((session) =>
    saveModel(session, {
      id: payload.model_id,
      adapter: format === 'peft',
      baseModelId: format === 'peft' ? adapterBase(target) : null,
      originModelId: null,
      source: 'folder',
      repository: null,
      revision: null,
      format,
      folder: target,
      entry: entryOf(target, format, files),
      files,
      facts,
      addedAt: deps.clock.now(),
    }),
  );
}

/** Follows links, for a snapshot of the hub's cache is made of them. */
async function listFiles(folder: string): Promise<ListedFile[]> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new BadRequest(`the folder ${folder} can't be read (${error.code})`);
  });
  const files = await Promise.all(
    names.map(async (path) => {
      const found = await stat(join(folder, path)).catch(() => undefined);
      return found?.isFile() ? [{ path, size: found.size, hash: null }] : [];
    }),
  );
  return files.flat();
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to, constants.COPYFILE_FICLONE).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOSPC') throw new OutOfSpace(`the disk is full; ${to} could not be written`);
    throw error;
  });
}

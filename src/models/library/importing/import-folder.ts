import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../contracts/clock.ts';
import type { PodEngine } from '../../../contracts/dispatcher/pod-plan.ts';
import { BadRequest } from '../../../contracts/problems.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { WorkContext } from '../../../platform/queue/work-kind.ts';
import { type Converter, convertWhereNeeded } from '../../conversion/conversion-step.ts';
import { adapterBase, readFacts } from '../../facts/read-facts.ts';
import { copyWatched } from '../../files/copy-file.ts';
import { withFolderLock } from '../../files/locks/folder-lock.ts';
import { makeDurable } from '../../files/make-durable.ts';
import { requireSpace } from '../../files/require-space.ts';
import { type ChosenFiles, chooseFiles } from '../../hub/choose-files.ts';
import type { Origins } from '../../packages/package-origins.ts';
import { entryOf } from '../model-library.ts';
import { isSaved, saveArrived } from '../save-arrived.ts';
import type { DownloadPayload } from '../start-download.ts';
import { listFolder } from './list-folder.ts';

interface ImportDependencies {
  database: Database;
  clock: Clock;
  importedFolder: string;
  engines: readonly PodEngine[];
  origins: Pick<Origins, 'pypi'>;
  converter?: Converter | undefined;
}

/** Copies a model from a folder (a memory stick, a share, a snapshot of the hub's cache), without a hub. */
export async function importFolder(
  deps: ImportDependencies,
  context: WorkContext,
  payload: DownloadPayload & { from: 'folder' },
): Promise<void> {
  const chosen = await chooseFrom(deps, context, payload);
  const target = join(deps.importedFolder, folderName(payload.model_id));
  await mkdir(deps.importedFolder, { recursive: true });
  // The lock tells a sweep, also of another process, that the folder is in use before the library has it.
  await withFolderLock(target, { signal: context.signal }, async () => {
    try {
      await copyFiles(chosen, payload.folder, target, context);
      await keepModel(deps, context, payload.model_id, chosen, target);
    } catch (error) {
      // Where the database can't tell whether the commit went through, the next start deletes what is not needed.
      const saved = await isSaved(deps.database, payload.model_id, target).catch(() => true);
      if (!saved) await rm(target, { recursive: true, force: true });
      throw error;
    }
  });
}

async function chooseFrom(
  { engines }: ImportDependencies,
  { signal }: WorkContext,
  { model_id, folder }: DownloadPayload & { from: 'folder' },
): Promise<ChosenFiles> {
  const { files, refusals } = await listFolder(folder, signal);
  const chosen = chooseFiles(
    { ...unknownRepository, name: model_id, files },
    { quantization: null, engines },
  );
  for (const { path } of chosen.files) {
    const refusal = refusals.get(path);
    if (refusal !== undefined) throw new BadRequest(`${join(folder, path)} ${refusal}`, { param: 'folder' });
  }
  return chosen;
}

async function keepModel(
  deps: ImportDependencies,
  context: WorkContext,
  id: string,
  { format, files: chosen }: ChosenFiles,
  folder: string,
): Promise<void> {
  const { signal } = context;
  const arrived = { folder, format, files: chosen.map((file) => file.path) };
  const { facts, files } = await convertWhereNeeded(
    deps,
    { ...arrived, id, facts: await readFacts(arrived, {}, deps.engines) },
    { signal, onProgress: context.report },
  );
  await saveArrived(context, {
    id,
    adapter: format === 'peft',
    baseModelId: format === 'peft' ? adapterBase(folder) : null,
    originModelId: null,
    source: 'folder',
    repository: null,
    revision: null,
    format,
    folder,
    entry: entryOf(folder, format, files),
    files,
    facts,
    addedAt: deps.clock.now(),
  });
}

const unknownRepository = { commit: '', license: null, pipelineTag: null, library: null, baseModel: null };

/**
 * Each attempt has its own folder: a serving model keeps its files when it is imported again, and what a failed attempt
 * deletes belongs to no other. The name contains the id, as far as it fits, for people who look at the disk.
 */
function folderName(modelId: string): string {
  const words = modelId.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^\.+/, '');
  return `${words.slice(0, 48)}-${randomBytes(6).toString('hex')}`;
}

/** The folder gets its name once it is complete. */
async function copyFiles(
  { files }: ChosenFiles,
  from: string,
  to: string,
  { signal, report }: WorkContext,
): Promise<void> {
  const arriving = `${to}.partial`;
  const total = files.reduce((sum, file) => sum + (file.size ?? 0), 0);
  let before = 0;
  await requireSpace(arriving, total);
  try {
    for (const { path, size } of files) {
      signal.throwIfAborted();
      await copyWatched(join(from, path), join(arriving, path), {
        signal,
        onProgress: (done) => report({ done: before + done, total, unit: 'bytes', message: path }),
      });
      before += size ?? 0;
    }
    await makeDurable(files.map(({ path }) => join(arriving, path)));
    await rename(arriving, to);
  } catch (error) {
    await rm(arriving, { recursive: true, force: true });
    throw error;
  }
  report({ done: total, total, unit: 'bytes' });
}

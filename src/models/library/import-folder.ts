import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../contracts/clock.ts';
import type { PodEngine } from '../../contracts/dispatcher/pod-plan.ts';
import { BadRequest } from '../../contracts/problems.ts';
import type { WorkContext } from '../../platform/queue/work-kind.ts';
import { type Converter, convertWhereNeeded } from '../conversion/conversion-step.ts';
import { adapterBase, readFacts } from '../facts/read-facts.ts';
import { copyWatched } from '../files/copy-file.ts';
import { makeDurable } from '../files/make-durable.ts';
import { requireSpace } from '../files/require-space.ts';
import { type ChosenFiles, chooseFiles } from '../hub/choose-files.ts';
import type { ListedFile } from '../hub/hub-client.ts';
import type { Origins } from '../packages/package-origins.ts';
import { folderName } from './import-names.ts';
import { entryOf } from './model-library.ts';
import { type SaveDependencies, saveArrived } from './save-arrived.ts';
import type { DownloadPayload } from './start-download.ts';

interface ImportDependencies extends SaveDependencies {
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
  const { signal } = context;
  const { model_id } = payload;
  const chosen = chooseFiles(
    { ...unknownRepository, name: model_id, files: await listFiles(payload.folder) },
    { quantization: null, engines: deps.engines },
  );
  const target = join(deps.importedFolder, folderName(model_id, context.id));
  await copyFiles(chosen, payload.folder, target, context);
  const { format } = chosen;
  const arrived = { folder: target, format, files: chosen.files.map((file) => file.path) };
  const { facts, files } = await convertWhereNeeded(
    deps,
    { ...arrived, id: model_id, facts: await readFacts(arrived, {}, deps.engines) },
    { signal, onProgress: context.report },
  );
  await saveArrived(deps, context, {
    id: model_id,
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
  });
}

const unknownRepository = { commit: '', license: null, pipelineTag: null, library: null, baseModel: null };

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
  await rm(arriving, { recursive: true, force: true });
  await requireSpace(arriving, total);
  try {
    for (const { path, size } of files) {
      await copyWatched(join(from, path), join(arriving, path), {
        signal,
        onProgress: (done) => report({ done: before + done, total, unit: 'bytes', message: path }),
      });
      before += size ?? 0;
    }
    await makeDurable(files.map(({ path }) => join(arriving, path)));
    await rm(to, { recursive: true, force: true });
    await rename(arriving, to);
  } catch (error) {
    await rm(arriving, { recursive: true, force: true });
    throw error;
  }
  report({ done: total, total, unit: 'bytes' });
}

/** Follows links, since a snapshot of the hub's cache consists of them. */
async function listFiles(folder: string): Promise<ListedFile[]> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new BadRequest(`the folder ${folder} can't be read: ${reasonOf(error)}`);
  });
  const files = await Promise.all(
    names.map(async (path) => {
      const found = await stat(join(folder, path)).catch(() => undefined);
      return found?.isFile() ? [{ path, size: found.size, hash: null }] : [];
    }),
  );
  return files.flat();
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'it does not exist on the machine that runs the platform';
  if (code === 'ENOTDIR') return 'it is a file; give the folder that contains it';
  if (code === 'EACCES') return 'the platform has no permission to read it';
  return message;
}

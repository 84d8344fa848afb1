import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BadRequest } from '../../contracts/problems.ts';
import { sha256Of } from '../files/hash-file.ts';
import type { CatalogModel } from './catalog.ts';

const Manifest = z.object({
  id: z.string(),
  title: z.string(),
  task: z.enum(['llm', 'embeddings', 'rerank']),
  engine: z.string(),
  licence: z.string(),
  origin: z.string(),
  pulled_at: z.string(),
  files: z.array(
    z.object({
      path: z.string(),
      size: z.int(),
      sha256: z.string(),
      source: z.string(),
      checked: z.number(),
    }),
  ),
});
export type Manifest = z.infer<typeof Manifest>;
export type StoredFile = Manifest['files'][number];

/** A model whose files are complete. */
export interface StoredModel extends Manifest {
  folder: string;
}

/** The models in `<data_dir>/models`, one folder each. `model.json` is written last and marks a model as complete. */
export class ModelStore {
  readonly root: string;

  constructor(dataDir: string) {
    this.root = join(dataDir, 'models');
  }

  folderOf(id: string): string {
    return join(this.root, id);
  }

  find(id: string): StoredModel | undefined {
    if (!/^[a-z0-9][a-z0-9._-]*$/.test(id)) return undefined;
    const file = join(this.folderOf(id), 'model.json');
    if (!existsSync(file)) return undefined;
    const manifest = readManifest(file);
    return manifest && { ...manifest, folder: this.folderOf(id) };
  }

  list(): StoredModel[] {
    if (!existsSync(this.root)) return [];
    return readdirSync(this.root)
      .sort()
      .flatMap((id) => this.find(id) ?? []);
  }

  async complete(model: CatalogModel, files: StoredFile[]): Promise<StoredModel> {
    const { id, title, task, engine, licence, origin } = model;
    const manifest = { id, title, task, engine, licence, origin, pulled_at: new Date().toISOString(), files };
    await this.#write(id, manifest);
    return { ...manifest, folder: this.folderOf(id) };
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.folderOf(id), 'model.json'), { force: true });
    await rm(this.folderOf(id), { recursive: true, force: true });
  }

  /** Throws where a file is not the one that was pulled. Files with an unchanged modification time are not read. */
  async verify(model: StoredModel): Promise<void> {
    let touched = false;
    for (const file of model.files) {
      const found = await stat(join(model.folder, file.path)).catch(() => undefined);
      if (!found) throw damaged(model, file, 'is missing');
      if (found.size !== file.size) {
        throw damaged(model, file, `has ${found.size} bytes instead of ${file.size}`);
      }
      if (found.mtimeMs === file.checked) continue;
      const sha256 = await sha256Of(join(model.folder, file.path));
      if (sha256 !== file.sha256) {
        throw damaged(model, file, `has the hash ${sha256} instead of ${file.sha256}`);
      }
      file.checked = found.mtimeMs;
      touched = true;
    }
    const { folder: _, ...manifest } = model;
    if (touched) await this.#write(model.id, manifest);
  }

  async #write(id: string, manifest: Manifest): Promise<void> {
    const file = join(this.folderOf(id), 'model.json');
    await writeFile(`${file}.partial`, `${JSON.stringify(manifest, null, 2)}\n`);
    await rename(`${file}.partial`, file);
  }
}

/** An unreadable manifest counts as missing, so the model is fetched again. */
function readManifest(file: string): Manifest | undefined {
  try {
    return Manifest.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function damaged(model: StoredModel, file: StoredFile, what: string): BadRequest {
  return new BadRequest(
    `the model '${model.id}' is damaged: ${file.path} ${what}. ` +
      `Fetch it again with: roundhouse models pull ${model.id} --force`,
    { code: 'model_damaged' },
  );
}

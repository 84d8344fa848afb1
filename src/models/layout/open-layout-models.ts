import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PullOptions, pullModel } from '../catalog/pull-model.ts';
import { findOrigins } from '../packages/package-origins.ts';
import type { ModelSettings } from '../settings.ts';
import { layoutFileNames, layoutFiles } from './layout-files.ts';

/** Paths of the model files, by what they are for. */
export type LayoutModelPaths = Record<keyof typeof layoutFileNames, string>;

export interface LayoutModels {
  /** Undefined until all of them have been fetched. */
  find(): LayoutModelPaths | undefined;
  /** Fetches what is missing. Several calls at once, in other processes too, fetch once. */
  fetch(options: PullOptions): Promise<LayoutModelPaths>;
}

interface LayoutModelDependencies {
  config: Pick<ModelSettings, 'hub' | 'packages'> & { data_dir: string };
  environment: Record<string, string | undefined>;
}

/** The models for reading pages as pictures, in `<data_dir>/documents`. */
export function openLayoutModels({ config, environment }: LayoutModelDependencies): LayoutModels {
  const folder = join(config.data_dir, 'documents', layoutFiles.id);
  const mark = join(folder, 'complete.json');
  const paths = Object.fromEntries(
    Object.entries(layoutFileNames).map(([purpose, name]) => [purpose, join(folder, name)]),
  ) as LayoutModelPaths;
  const find = () => (existsSync(mark) ? paths : undefined);
  const store = {
    folderOf: () => folder,
    find,
    async complete(_model: typeof layoutFiles, files: unknown[]) {
      await writeFile(`${mark}.new`, JSON.stringify({ files }));
      await rename(`${mark}.new`, mark);
      return paths;
    },
  };
  return {
    find,
    async fetch(options) {
      const origins = await findOrigins({ ...config, environment });
      return pullModel({ catalog: [layoutFiles], store, origins }, layoutFiles.id, options);
    },
  };
}

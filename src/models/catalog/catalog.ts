import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { NotFound } from '../../contracts/problems.ts';
import { FileSource } from '../packages/file-source.ts';
import { Conversion } from './converting/conversion.ts';
import { HubModel, Shape } from './hub-model.ts';

const relativePath = z
  .string()
  .regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\\]+$/, 'expected a path inside the folder of the model');

const FetchedFile = z.strictObject({
  path: relativePath,
  size: z.int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sources: z.array(FileSource).min(1),
  convert: Conversion.optional(),
});
export type FetchedFile = z.infer<typeof FetchedFile>;

/** A small file that the engine needs and the sources lack, written from the catalog. */
const WrittenFile = z.strictObject({ path: relativePath, content: z.json() });

export const CatalogModel = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/),
  title: z.string(),
  task: z.enum(['llm', 'embeddings', 'rerank']),
  engine: z.string(),
  starter: z.boolean().default(false),
  languages: z.array(z.string()),
  licence: z.string(),
  /** The repository of the model's authors. */
  origin: z.string(),
  note: z.string().default(''),
  shape: Shape.optional(),
  files: z.array(z.union([FetchedFile, WrittenFile])).min(1),
});
export type CatalogModel = z.infer<typeof CatalogModel>;

const CatalogFile = z.strictObject({
  models: z.array(CatalogModel),
  hub: z.array(HubModel).default([]),
});
export type Catalog = CatalogModel[];

export function parseCatalogs(yaml: string): { catalog: Catalog; hubModels: HubModel[] } {
  const { models, hub } = CatalogFile.parse(parse(yaml));
  return { catalog: models, hubModels: hub };
}

/** The catalog that is part of the program, and the models that it only recommends: the hub has their files. */
export function readCatalogs(): { catalog: Catalog; hubModels: HubModel[] } {
  const path = fileURLToPath(new URL('../../../catalog.yaml', import.meta.url));
  return parseCatalogs(readFileSync(path, 'utf8'));
}

export const readCatalog = (): Catalog => readCatalogs().catalog;

export const readHubModels = (): HubModel[] => readCatalogs().hubModels;

export function catalogModel<Model extends { id: string }>(catalog: readonly Model[], id: string): Model {
  const model = catalog.find((candidate) => candidate.id === id);
  if (!model) throw new NotFound('model', id, { code: 'model_not_found' });
  return model;
}

export const isFetched = (file: CatalogModel['files'][number]): file is FetchedFile => 'sources' in file;

/** Bytes of all files together. */
export const sizeOf = (model: Pick<CatalogModel, 'files'>): number =>
  model.files.reduce((sum, file) => sum + (isFetched(file) ? file.size : 0), 0);

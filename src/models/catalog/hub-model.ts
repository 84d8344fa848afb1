import { z } from 'zod';
import { ModelId } from '../../contracts/management/models.ts';

/** What the key-value cache of a language model consists of. */
export const Shape = z.strictObject({
  layers: z.int().positive(),
  keyValueHeads: z.int().positive(),
  headSize: z.int().positive(),
});

/** A model under a short name. Its files and their hashes are those that the hub names when it is added. */
export const HubModel = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/),
  title: z.string(),
  task: z.enum(['llm', 'embeddings', 'rerank']),
  /** The id on the hub, with a quantisation in repositories that have several. */
  model: ModelId,
  /** Bytes to download, rounded. */
  size: z.int().positive(),
  shape: Shape.optional(),
  languages: z.array(z.string()),
  licence: z.string(),
  /** The repository of the model's authors. */
  origin: z.string(),
  note: z.string(),
});
export type HubModel = z.infer<typeof HubModel>;

/** The id under which a model is stored that was named by its short name; other names are returned unchanged. */
export const fullId = (hubModels: readonly HubModel[], id: string): string =>
  hubModels.find((model) => model.id === id)?.model ?? id;

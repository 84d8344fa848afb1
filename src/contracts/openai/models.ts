import { z } from 'zod';

export const Model = z
  .looseObject({
    id: z.string(),
    object: z.string(),
    owned_by: z.string(),
    root: z.string(),
    created: z.int(),
    permission: z.array(z.string()),
    parent: z.string().nullish().describe('The base model of an adapter, or the model behind an alias'),
    alias: z.boolean().optional().describe('Whether this is another name for `parent`'),
    max_model_len: z.int().nullish(),
  })
  .meta({ id: 'Model' });
export type Model = z.infer<typeof Model>;

export const ModelResponse = z
  .looseObject({ object: z.string(), data: z.array(Model) })
  .meta({ id: 'ModelResponse' });
export type ModelResponse = z.infer<typeof ModelResponse>;

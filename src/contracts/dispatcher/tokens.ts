import { z } from 'zod';

/** vLLM's endpoints for counting tokens. Without a model, the only one that is served. */
const model = z.string().min(1).optional();

export const TokenizeRequest = z
  .looseObject({
    model,
    prompt: z.string().optional(),
    messages: z.array(z.looseObject({})).optional(),
  })
  .meta({ id: 'TokenizeRequest' });

export const DetokenizeRequest = z
  .looseObject({ model, tokens: z.array(z.int().min(0)) })
  .meta({ id: 'DetokenizeRequest' });

export const TokenizerInfoQuery = z.object({ model });

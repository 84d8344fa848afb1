import { z } from 'zod';

export const ResponseFormat = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({ type: z.literal('json_object') }),
    z.looseObject({
      type: z.literal('json_schema'),
      json_schema: z.looseObject({
        name: z.string().min(1).max(64),
        description: z.string().nullish(),
        schema: z.record(z.string(), z.unknown()),
        strict: z.boolean().nullish(),
      }),
    }),
  ])
  .meta({ id: 'ResponseFormat' });
export type ResponseFormat = z.infer<typeof ResponseFormat>;

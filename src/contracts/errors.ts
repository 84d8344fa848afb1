import { z } from 'zod';

/** What the dispatcher, the hosted API and a pod answer when something other than validation fails. */
export const OpenAIError = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .meta({ id: 'OpenAIError' });
export type OpenAIError = z.infer<typeof OpenAIError>;

export const ValidationError = z
  .object({
    loc: z.array(z.union([z.string(), z.int()])).describe('Where, such as ["body", "messages"]'),
    msg: z.string(),
    type: z.string(),
  })
  .meta({ id: 'ValidationError' });
export type ValidationError = z.infer<typeof ValidationError>;

/** A request that does not fit its schema, on the dispatcher and the management API. */
export const HTTPValidationError = z
  .object({
    detail: z.array(ValidationError),
    error: OpenAIError.shape.error.optional().describe('The same in words, on inference endpoints'),
  })
  .meta({ id: 'HTTPValidationError' });
export type HTTPValidationError = z.infer<typeof HTTPValidationError>;

/** What the management API and the layout service answer otherwise. */
export const DetailError = z.object({ detail: z.string() }).meta({ id: 'DetailError' });
export type DetailError = z.infer<typeof DetailError>;

/** What the inference endpoints of the management API answer: its `detail`, and OpenAI's `error`. */
export const InferenceError = z
  .object({ detail: z.string(), error: OpenAIError.shape.error })
  .meta({ id: 'InferenceError' });

/** What the document index and the chatbot answer. */
export const IndexError = z.object({ error: z.string() }).meta({ id: 'IndexError' });
export type IndexError = z.infer<typeof IndexError>;

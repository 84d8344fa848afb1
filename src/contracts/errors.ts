import { z } from 'zod';

/** Errors of the dispatcher, the hosted API and pods, except validation errors. */
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
    loc: z.array(z.union([z.string(), z.int()])).describe('Location, such as ["body", "messages"]'),
    msg: z.string(),
    type: z.string(),
  })
  .meta({ id: 'ValidationError' });
export type ValidationError = z.infer<typeof ValidationError>;

/** Validation errors of the dispatcher and the management API. */
export const HTTPValidationError = z
  .object({
    detail: z.array(ValidationError),
    error: OpenAIError.shape.error.optional().describe('The same in words, on inference endpoints'),
  })
  .meta({ id: 'HTTPValidationError' });
export type HTTPValidationError = z.infer<typeof HTTPValidationError>;

/** Other errors of the management API and the layout service. */
export const DetailError = z.object({ detail: z.string() }).meta({ id: 'DetailError' });
export type DetailError = z.infer<typeof DetailError>;

/** Errors of the inference endpoints of the management API: its `detail`, and OpenAI's `error`. */
export const InferenceError = z
  .object({ detail: z.string(), error: OpenAIError.shape.error })
  .meta({ id: 'InferenceError' });

/** Errors of the document index and the chatbot. */
export const IndexError = z.object({ error: z.string() }).meta({ id: 'IndexError' });
export type IndexError = z.infer<typeof IndexError>;

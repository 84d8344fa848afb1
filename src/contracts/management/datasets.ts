import { z } from 'zod';
import { BinaryFile, Timestamp } from '../fields.ts';

export const Dataset = z
  .object({
    id: z.string(),
    name: z.string(),
    s3_path: z.string().describe('`s3://<bucket>/datasets/<id>/<name>`'),
    description: z.string().nullable(),
    examples: z.int().min(0).optional(),
    bytes: z.int().min(0).optional(),
    sha256: z.string().optional(),
    created_at: Timestamp.optional(),
  })
  .meta({ id: 'Dataset' });
export type Dataset = z.infer<typeof Dataset>;

export const DatasetUploadQuery = z.object({ description: z.string().max(4096).optional() });
export type DatasetUploadQuery = z.infer<typeof DatasetUploadQuery>;

export const DatasetUploadForm = z
  .strictObject({ file: BinaryFile.describe('Conversations, one JSON object per line') })
  .meta({ id: 'DatasetUploadForm' });
export type DatasetUploadForm = z.infer<typeof DatasetUploadForm>;

export const DatasetPreviewQuery = z.object({
  model_id: z.string().min(1).optional().describe("Count tokens with this model's tokenizer"),
});
export type DatasetPreviewQuery = z.infer<typeof DatasetPreviewQuery>;

export const DatasetPath = z.object({ dataset_id: z.string() });
export type DatasetPath = z.infer<typeof DatasetPath>;

/** One line of a data set; other accepted formats are converted to this. */
export const Conversation = z
  .looseObject({
    messages: z
      .array(z.looseObject({ role: z.enum(['system', 'user', 'assistant', 'tool']), content: z.string() }))
      .min(1),
  })
  .meta({ id: 'Conversation' });
export type Conversation = z.infer<typeof Conversation>;

export const DatasetPreview = z
  .object({
    examples: z.array(Conversation).describe('The first conversations'),
    count: z.int().min(0),
    model_id: z.string().nullable().describe('Model whose tokenizer was used; null if none was requested'),
    tokens: z
      .object({ total: z.int(), min: z.int(), median: z.int(), p95: z.int(), max: z.int() })
      .nullable()
      .describe('Lengths of the conversations in tokens'),
  })
  .meta({ id: 'DatasetPreview' });
export type DatasetPreview = z.infer<typeof DatasetPreview>;

import { z } from 'zod';
import { PodTask } from '../dispatcher/pods.ts';
import { TextFlag } from '../fields.ts';

/** A file of a model in the library, with what a download is checked against. */
export const ModelFile = z
  .object({
    path: z.string().describe('Inside the folder of the model'),
    size: z.int().min(0),
    hash: z
      .object({
        algorithm: z.enum(['sha256', 'git-sha1']).describe('`git-sha1`: the id that git gives the content'),
        hex: z.string().regex(/^[0-9a-f]{40,64}$/),
      })
      .nullable()
      .describe('Null with `names_only`'),
  })
  .meta({ id: 'ModelFile' });
export type ModelFile = z.infer<typeof ModelFile>;

/** A model of the library as another machine fetches it. */
export const ModelFiles = z
  .object({
    model_id: z.string(),
    adapter: z.boolean(),
    task: PodTask.nullable(),
    format: z.enum(['gguf', 'safetensors', 'onnx', 'pickle', 'peft']),
    quantization: z.string().nullable(),
    folder: z.string().describe("On the platform's machine"),
    converted: z.string().nullable().describe('The file that the model was converted to, if it was'),
    files: z.array(ModelFile),
  })
  .meta({ id: 'ModelFiles' });
export type ModelFiles = z.infer<typeof ModelFiles>;

export const ModelFilesPath = z.object({ model_id: z.string() });
export const ModelFilesQuery = z.object({
  names_only: TextFlag.describe('Leave out the hashes, which take seconds per gigabyte when first asked for'),
});
export const ModelFilePath = z.object({ model_id: z.string(), '*': z.string() });

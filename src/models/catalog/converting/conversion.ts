import { z } from 'zod';

/** What is done to a fetched file once its hash is verified. */
export const Conversion = z.union([
  /** Replaces fields at the top level of a JSON file. */
  z.strictObject({ json: z.record(z.string(), z.json()) }),
  /** Cuts the tokenizer out of an ONNX model, and writes its vocabulary to the named file. */
  z.strictObject({ sentencepiece: z.literal('tokenizer.json') }),
]);
export type Conversion = z.infer<typeof Conversion>;

import { z } from 'zod';
import type { CallOptions } from '../sending/call-options.ts';
import { noRetries, policyOf } from '../sending/retries.ts';
import { askForJson, type Sender } from '../sending/send-request.ts';

export interface ServedModel {
  id: string;
  /** The base model, where this is an adapter. */
  parent: string | undefined;
  /** What it is for, where the server says so: `llm`, `embeddings`, `rerank`, `tts` or `asr`. */
  task: string | undefined;
  /** Tokens that fit in its context. */
  contextLength: number | undefined;
}

const text = z.string().nullish().catch(undefined);
const Answer = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      parent: text,
      task: text,
      max_model_len: z.number().nullish().catch(undefined),
    }),
  ),
});

/** The models that are served at present. */
export async function listModels(sender: Sender, options: CallOptions): Promise<ServedModel[]> {
  const request = { method: 'GET' as const, path: '/v1/models' };
  const { data } = await askForJson(sender, request, Answer, options, policyOf(options, noRetries));
  return data.map(({ id, parent, task, max_model_len }) => ({
    id,
    parent: parent ?? undefined,
    task: task ?? undefined,
    contextLength: max_model_len ?? undefined,
  }));
}

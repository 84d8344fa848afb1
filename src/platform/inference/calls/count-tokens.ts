import { z } from 'zod';
import type { CallOptions } from '../sending/call-options.ts';
import { noRetries, policyOf } from '../sending/retries.ts';
import { askForJson, jsonRequest, type Sender } from '../sending/send-request.ts';
import type { PlainMessage } from './chat.ts';

export interface CountInput {
  model: string;
  messages: readonly PlainMessage[];
}

const Answer = z.looseObject({ count: z.int().min(0) });

/** How many tokens a conversation takes as a prompt, by the model's own tokenizer. Not every server can tell. */
export async function countTokens(sender: Sender, input: CountInput, options: CallOptions): Promise<number> {
  const request = jsonRequest('/tokenize', input);
  const { count } = await askForJson(sender, request, Answer, options, policyOf(options, noRetries));
  return count;
}

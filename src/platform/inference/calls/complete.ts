import { z } from 'zod';
import type { CallOptions } from '../sending/call-options.ts';
import { noRetries, policyOf } from '../sending/retries.ts';
import { askForJson, jsonRequest, type Sender } from '../sending/send-request.ts';
import type { Sampling } from './sampling.ts';
import { type TokenUsage, usageField } from './usage.ts';

export interface CompletionInput extends Sampling {
  prompt: string | readonly string[] | readonly number[];
  echo?: boolean;
  logprobs?: number;
}

export interface CompletedChoice {
  text: string;
  finishReason: string | undefined;
  /** The probability of each token, where `logprobs` asked for it; null for the first of an echoed prompt. */
  tokens: { text: string; logprob: number | null }[];
}

export interface CompletionAnswer {
  /** In the order of the prompts. */
  choices: CompletedChoice[];
  usage: TokenUsage | undefined;
}

const logprobs = z.looseObject({
  tokens: z.array(z.string()),
  token_logprobs: z.array(z.number().nullable()),
});
const Answer = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        index: z.number().catch(0),
        text: z.string(),
        finish_reason: z.string().nullish().catch(undefined),
        logprobs: logprobs.nullish().catch(undefined),
      }),
    )
    .min(1),
  usage: usageField,
});

/** The whole completion of a prompt. */
export async function complete(
  sender: Sender,
  input: CompletionInput,
  options: CallOptions,
): Promise<CompletionAnswer> {
  const request = jsonRequest('/v1/completions', { ...input, stream: false });
  const { choices, usage } = await askForJson(sender, request, Answer, options, policyOf(options, noRetries));
  return {
    choices: choices
      .sort((a, b) => a.index - b.index)
      .map((choice) => ({
        text: choice.text,
        finishReason: choice.finish_reason ?? undefined,
        tokens: (choice.logprobs?.tokens ?? []).map((text, at) => ({
          text,
          logprob: choice.logprobs?.token_logprobs[at] ?? null,
        })),
      })),
    usage,
  };
}

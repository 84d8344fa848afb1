import { z } from 'zod';
import { minTokensFit, samplingFields, streamOptionsNeedStream } from './sampling.ts';
import { TextOrTokens } from './text-or-tokens.ts';
import { answerFields, FinishReason, StopReason, Usage } from './usage.ts';

/** `POST /v1/completions` as a pod reads it; unknown fields are kept and ignored. */
export const CompletionRequest = z
  .looseObject({
    ...samplingFields,
    prompt: TextOrTokens,
    max_tokens: z.int().min(0).nullish(),
    echo: z.boolean().nullish().describe('Start the answer with the prompt'),
    logprobs: z.int().min(0).max(20).nullish().describe('Number of most likely tokens to return'),
    best_of: z.int().min(1).max(128).nullish(),
    suffix: z.union([z.null(), z.literal('')], { error: 'is not supported' }).optional(),
  })
  .refine(streamOptionsNeedStream.check, streamOptionsNeedStream.issue)
  .refine(minTokensFit.check, minTokensFit.issue)
  // Evaluation tools score a prompt by echoing it without generating anything.
  .refine((request) => request.max_tokens !== 0 || request.echo === true, {
    path: ['max_tokens'],
    error: 'must be at least 1, or 0 together with echo',
  })
  .refine((request) => request.best_of == null || request.best_of === (request.n ?? 1), {
    path: ['best_of'],
    error: 'must equal n',
  })
  .meta({ id: 'CompletionRequest' });
export type CompletionRequest = z.infer<typeof CompletionRequest>;

export const CompletionLogprobs = z
  .looseObject({
    tokens: z.array(z.string()),
    token_logprobs: z.array(z.number().nullable()),
    top_logprobs: z.array(z.record(z.string(), z.number()).nullable()).nullable(),
    text_offset: z.array(z.int()),
  })
  .meta({ id: 'CompletionLogprobs' });
export type CompletionLogprobs = z.infer<typeof CompletionLogprobs>;

const choice = z.looseObject({
  index: z.int().min(0),
  text: z.string(),
  logprobs: CompletionLogprobs.nullable(),
  finish_reason: FinishReason.nullable(),
  stop_reason: StopReason,
});

export const CompletionResponse = z
  .looseObject({
    ...answerFields,
    object: z.literal('text_completion'),
    choices: z.array(choice),
    usage: Usage,
  })
  .meta({ id: 'CompletionResponse' });
export type CompletionResponse = z.infer<typeof CompletionResponse>;

/** A server-sent event of a streamed completion. The usage chunk, if requested, has no choices. */
export const CompletionChunk = z
  .looseObject({
    ...answerFields,
    object: z.literal('text_completion'),
    choices: z.array(choice),
    usage: Usage.nullish(),
  })
  .meta({ id: 'CompletionChunk' });
export type CompletionChunk = z.infer<typeof CompletionChunk>;

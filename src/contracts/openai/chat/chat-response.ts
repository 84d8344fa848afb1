import { z } from 'zod';
import { answerFields, FinishReason, StopReason, Usage } from '../usage.ts';
import { ToolCall, ToolCallDelta } from './tools.ts';

const tokenProbability = {
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.int()).nullable(),
};

export const ChatLogprobs = z
  .looseObject({
    content: z
      .array(z.looseObject({ ...tokenProbability, top_logprobs: z.array(z.looseObject(tokenProbability)) }))
      .nullable(),
  })
  .meta({ id: 'ChatLogprobs' });
export type ChatLogprobs = z.infer<typeof ChatLogprobs>;

export const ChatChoice = z
  .looseObject({
    index: z.int().min(0),
    message: z.looseObject({
      role: z.string(),
      content: z.string().nullable(),
      refusal: z.string().nullish(),
      tool_calls: z.array(ToolCall).nullish(),
    }),
    logprobs: ChatLogprobs.nullish(),
    finish_reason: FinishReason.nullable(),
    stop_reason: StopReason,
  })
  .meta({ id: 'ChatChoice' });
export type ChatChoice = z.infer<typeof ChatChoice>;

export const ChatCompletionResponse = z
  .looseObject({
    ...answerFields,
    object: z.literal('chat.completion'),
    choices: z.array(ChatChoice),
    usage: Usage,
  })
  .meta({ id: 'ChatCompletionResponse' });
export type ChatCompletionResponse = z.infer<typeof ChatCompletionResponse>;

/** A server-sent event of a streamed chat completion. The usage chunk, if requested, has no choices. */
export const ChatCompletionChunk = z
  .looseObject({
    ...answerFields,
    object: z.literal('chat.completion.chunk'),
    choices: z.array(
      z.looseObject({
        index: z.int().min(0),
        delta: z.looseObject({
          role: z.string().optional(),
          content: z.string().nullish(),
          tool_calls: z.array(ToolCallDelta).optional(),
        }),
        logprobs: ChatLogprobs.nullish(),
        finish_reason: FinishReason.nullable(),
        stop_reason: StopReason,
      }),
    ),
    usage: Usage.nullish(),
  })
  .meta({ id: 'ChatCompletionChunk' });
export type ChatCompletionChunk = z.infer<typeof ChatCompletionChunk>;

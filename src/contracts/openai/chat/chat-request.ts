import { z } from 'zod';
import { list, most } from '../limits.ts';
import { minTokensFit, samplingFields, streamOptionsNeedStream } from '../sampling.ts';
import { ChatMessage } from './chat-messages.ts';
import { ResponseFormat } from './response-format.ts';
import { ChatTool, ToolChoice } from './tools.ts';

/**
 * `POST /v1/chat/completions` as a pod reads it. Unknown fields are ignored, because the dispatcher
 * forwards whatever clients of other engines send.
 */
export const ChatRequest = z
  .looseObject({
    ...samplingFields,
    messages: list(ChatMessage, { least: 1, most: most.messages }),
    max_tokens: z.int().min(1).nullish().describe('Deprecated name of `max_completion_tokens`'),
    max_completion_tokens: z.int().min(1).nullish(),
    logprobs: z.boolean().nullish(),
    top_logprobs: z.int().min(0).max(20).nullish().describe('Requires `logprobs`'),
    tools: list(ChatTool, { most: most.tools }).nullish(),
    tool_choice: ToolChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    response_format: ResponseFormat.nullish(),
  })
  .refine(streamOptionsNeedStream.check, streamOptionsNeedStream.issue)
  .refine(minTokensFit.check, minTokensFit.issue)
  .refine((request) => request.logprobs === true || !request.top_logprobs, {
    path: ['top_logprobs'],
    error: 'is only allowed when logprobs is true',
  })
  .refine((request) => !forcesTool(request.tool_choice) || (request.tools?.length ?? 0) > 0, {
    path: ['tool_choice'],
    error: 'requires tools',
  })
  .refine(({ tool_choice: choice, tools }) => !tools?.length || namesKnownTools(choice, tools), {
    path: ['tool_choice'],
    error: 'must be a function listed in tools',
  })
  .meta({ id: 'ChatRequest' });
export type ChatRequest = z.infer<typeof ChatRequest>;

function forcesTool(choice: ToolChoice | null | undefined): boolean {
  if (choice == null || choice === 'auto' || choice === 'none') return false;
  return typeof choice === 'string' || choice.type === 'function' || choice.allowed_tools.mode === 'required';
}

function namesKnownTools(choice: ToolChoice | null | undefined, tools: ChatTool[]): boolean {
  if (choice == null || typeof choice === 'string') return true;
  const known = new Set(tools.map((tool) => tool.function.name));
  const named = choice.type === 'function' ? [choice] : choice.allowed_tools.tools;
  return named.every((tool) => known.has(tool.function.name));
}

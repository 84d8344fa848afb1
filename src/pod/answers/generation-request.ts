import type { ChatRequest } from '../../contracts/openai/chat/chat-request.ts';
import type { CompletionRequest } from '../../contracts/openai/completions.ts';
import type { TextOrTokens } from '../../contracts/openai/text-or-tokens.ts';
import { BadRequest } from '../../contracts/problems.ts';
import type { ChatMessage, Constraint, GenerationRequest, Prompt, Sampling, ToolChoice } from '../engine.ts';

/** Converts a chat request into an engine request. For `n` answers, it runs `n` times. */
export function chatGeneration(request: ChatRequest, adapter: string | undefined): GenerationRequest {
  rejectNonText(request);
  const constraint = constraintOf(request);
  return {
    prompt: {
      kind: 'chat',
      messages: request.messages as ChatMessage[],
      ...toolsOf(request),
      ...templateOf(request),
    },
    ...common(request, adapter),
    ...given('maxTokens', request.max_completion_tokens ?? request.max_tokens),
    ...(constraint ? { constraint } : {}),
    ...(request.logprobs ? { logprobs: request.top_logprobs ?? 0 } : {}),
  };
}

/** Converts a completion request into an engine request for one of its prompts. */
export function completionGeneration(
  request: CompletionRequest,
  prompt: Prompt,
  adapter: string | undefined,
): GenerationRequest {
  return {
    prompt,
    ...common(request, adapter),
    // OpenAI's default for this endpoint is 16 tokens.
    maxTokens: request.max_tokens ?? 16,
    ...given('logprobs', request.logprobs),
    ...(request.echo && request.logprobs != null ? { promptLogprobs: true } : {}),
  };
}

/** The value may be one text, several texts, one list of token ids, or several lists. */
export function inputsOf(value: TextOrTokens): (string | number[])[] {
  if (typeof value === 'string') return [value];
  return typeof value[0] === 'number' ? [value as number[]] : (value as (string | number[])[]);
}

export function promptsOf(value: TextOrTokens): Prompt[] {
  return inputsOf(value).map((input) =>
    typeof input === 'string' ? { kind: 'text', text: input } : { kind: 'tokens', tokens: input },
  );
}

function common(request: ChatRequest | CompletionRequest, adapter: string | undefined) {
  const stop = typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []);
  return {
    ...(adapter === undefined ? {} : { adapter }),
    ...(stop.length > 0 ? { stop } : {}),
    ...(request.ignore_eos ? { ignoreEos: true } : {}),
    ...(request.min_tokens ? { minTokens: request.min_tokens } : {}),
    sampling: samplingOf(request),
  };
}

function samplingOf(request: ChatRequest | CompletionRequest): Sampling {
  const topK = request.top_k != null && request.top_k > 0 ? request.top_k : undefined;
  return {
    ...given('temperature', request.temperature),
    ...given('topP', request.top_p),
    ...given('topK', topK),
    ...given('minP', request.min_p),
    ...given('seed', request.seed),
    ...given('presencePenalty', request.presence_penalty),
    ...given('frequencyPenalty', request.frequency_penalty),
    ...given('repetitionPenalty', request.repetition_penalty),
    ...given('logitBias', request.logit_bias as Record<number, number> | null | undefined),
  };
}

function toolsOf(request: ChatRequest) {
  if (!request.tools?.length) return {};
  const tools = request.tools.map(({ type, function: { name, description, parameters, strict } }) => ({
    type,
    function: {
      name,
      ...given('description', description),
      ...given('parameters', parameters),
      ...given('strict', strict),
    },
  }));
  return {
    tools,
    ...given('toolChoice', toolChoiceOf(request.tool_choice)),
    ...(request.parallel_tool_calls === false ? { parallelToolCalls: false } : {}),
  };
}

function toolChoiceOf(choice: ChatRequest['tool_choice']): ToolChoice | undefined {
  if (choice == null || typeof choice === 'string') return choice ?? undefined;
  if (choice.type === 'function') return { name: choice.function.name };
  const { mode, tools } = choice.allowed_tools;
  return { mode, allowed: tools.map((tool) => tool.function.name) };
}

/** vLLM's extra fields for the chat template. */
function templateOf(request: ChatRequest) {
  const args = request.chat_template_kwargs;
  const addPrompt = request.add_generation_prompt;
  return {
    ...(typeof args === 'object' && args !== null
      ? { templateArguments: args as Record<string, unknown> }
      : {}),
    ...(typeof addPrompt === 'boolean' ? { addGenerationPrompt: addPrompt } : {}),
  };
}

function constraintOf({ response_format: format }: ChatRequest): Constraint | undefined {
  if (format?.type === 'json_object') return { kind: 'json' };
  if (format?.type === 'json_schema') return { kind: 'json-schema', schema: format.json_schema.schema };
  return undefined;
}

function rejectNonText(request: ChatRequest): void {
  for (const [index, message] of request.messages.entries()) {
    if (!Array.isArray(message.content)) continue;
    const part = message.content.findIndex(({ type }) => type !== 'text' && type !== 'refusal');
    if (part < 0) continue;
    throw new BadRequest(
      `this model accepts only text; messages[${index}].content[${part}] has type ${message.content[part]?.type}`,
      { param: 'messages', code: 'unsupported_content' },
    );
  }
}

function given<Key extends string, Value>(key: Key, value: Value | null | undefined): { [K in Key]?: Value } {
  return value == null ? {} : ({ [key]: value } as { [K in Key]?: Value });
}

import { z } from 'zod';
import { ChatMessage } from '../../contracts/openai/chat/chat-messages.ts';
import { list, most, TokenIds } from '../../contracts/openai/limits.ts';
import { BadRequest, NotFound } from '../../contracts/problems.ts';
import type { App } from '../../platform/http/service.ts';
import { clientSignal } from '../answers/event-stream.ts';
import type { ChatMessage as EngineMessage, Prompt, ToolDefinition } from '../engine.ts';
import type { Pod } from '../serving/pod.ts';
import { adapterFor } from '../serving/served-model.ts';
import { type PodTokenizer, tokenizerOf } from '../serving/tokenizer.ts';

/** vLLM's request; unknown fields are ignored. */
const Tokenize = z
  .looseObject({
    model: z.string().optional(),
    prompt: z.string().optional(),
    messages: list(ChatMessage, { most: most.messages }).optional(),
    add_special_tokens: z.boolean().nullish().describe('Only for a prompt. Default: true'),
    add_generation_prompt: z.boolean().nullish(),
    return_token_strs: z.boolean().nullish(),
    tools: z.array(z.looseObject({})).max(most.tools).nullish(),
    chat_template_kwargs: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: 'Tokenize' });
type Tokenize = z.infer<typeof Tokenize>;

const Detokenize = z
  .looseObject({ model: z.string().optional(), tokens: TokenIds })
  .meta({ id: 'Detokenize' });

/** vLLM's endpoints for counting tokens in advance. */
export function addTokenRoutes(app: App, pod: Pod): void {
  app.post('/tokenize', { schema: { body: Tokenize } }, async ({ body }, reply) => {
    const tokenizer = tokenizerFor(pod, body.model);
    const special = body.add_special_tokens ?? true;
    const tokens = await tokenizer.encode(promptOf(body), special, clientSignal(reply));
    return {
      count: tokens.length,
      max_model_len: pod.engine.facts.contextLength ?? null,
      tokens,
      token_strs: body.return_token_strs ? await tokenizer.decode(tokens.map((token) => [token])) : null,
    };
  });
  app.post('/detokenize', { schema: { body: Detokenize } }, async ({ body }) => {
    const tokenizer = tokenizerFor(pod, body.model);
    const size = pod.engine.facts.vocabularySize ?? Number.POSITIVE_INFINITY;
    if (body.tokens.some((token) => token >= size)) {
      throw new BadRequest(`token ids must be at most ${size - 1} for this model`, { param: 'tokens' });
    }
    const [prompt = ''] = await tokenizer.decode([body.tokens]);
    return { prompt };
  });
}

/** What the model's tokenizer is: its class, its special tokens and its chat template. */
export function addTokenizerInfoRoute(app: App, pod: Pod): void {
  app.get('/tokenizer_info', () => {
    const info = pod.engine.tokenizerInfo?.();
    if (info) return info;
    throw new NotFound('tokenizer', pod.served.served_model_name, {
      words: `the engine of '${pod.served.served_model_name}' does not describe its tokenizer`,
    });
  });
}

function tokenizerFor(pod: Pod, model: string | undefined): PodTokenizer {
  if (model !== undefined) adapterFor(pod.served, pod.engine, model);
  return tokenizerOf(pod.engine);
}

function promptOf({ prompt, messages, ...body }: Tokenize): Prompt {
  if (prompt !== undefined) return { kind: 'text', text: prompt };
  if (!messages) throw new BadRequest('send a prompt or messages', { param: 'prompt' });
  return {
    kind: 'chat',
    messages: messages as EngineMessage[],
    ...(body.tools ? { tools: body.tools as unknown as ToolDefinition[] } : {}),
    ...(body.chat_template_kwargs ? { templateArguments: body.chat_template_kwargs } : {}),
    ...(body.add_generation_prompt == null ? {} : { addGenerationPrompt: body.add_generation_prompt }),
  };
}

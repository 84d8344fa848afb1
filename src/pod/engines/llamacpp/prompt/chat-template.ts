import { Template } from '@huggingface/jinja';
import { BadRequest } from '../../../../contracts/problems.ts';
import { jsonShape } from '../../../../platform/http/requests/json-shape.ts';
import type { ChatMessage, ToolDefinition } from '../../../engine.ts';
import { closeEmptyJson, joinEmptyBrackets } from './indented-json.ts';

export interface TemplateInput {
  messages: ChatMessage[];
  tools?: ToolDefinition[];
  addGenerationPrompt?: boolean;
  templateArguments?: Record<string, unknown>;
}

/** The texts of the special tokens that a template may name. */
export type SpecialTokens = Record<`${string}_token`, string>;

export interface ChatTemplate {
  readonly source: string;
  render(input: TemplateInput): string;
}

/** Larger arguments of a call reach the template as the text they are. */
const largestArguments = { depth: 64, values: 100_000 };

/** What a file without a template of its own is talked to in: ChatML, which most small models have seen. */
const fallback =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/** Renders as `apply_chat_template` of transformers does, with the same variables and special tokens. */
export function compileTemplate(source: string | undefined, special: SpecialTokens): ChatTemplate {
  const text = source ?? fallback;
  // Transformers marks the assistant's own words with this tag, for training; it writes nothing.
  const template = new Template(text.replace(/\{%-?\s*(end)?generation\s*-?%\}/g, ''));
  closeEmptyJson(template);
  return {
    source: text,
    render({ messages, tools, addGenerationPrompt = true, templateArguments }) {
      try {
        return template.render({
          ...special,
          ...templateArguments,
          join_empty_brackets: joinEmptyBrackets,
          messages: messages.map(asTemplateMessage),
          tools: tools && tools.length > 0 ? tools : null,
          documents: null,
          add_generation_prompt: addGenerationPrompt,
        });
      } catch (error) {
        if (error instanceof BadRequest) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        throw new BadRequest(`The model's chat template refuses these messages: ${reason.slice(0, 500)}`, {
          param: 'messages',
          cause: error,
        });
      }
    },
  };
}

/** Text parts become text, a missing content the empty one, and a call's arguments the object that templates expect. */
function asTemplateMessage(message: ChatMessage, index: number): Record<string, unknown> {
  const rendered: Record<string, unknown> = { ...message, content: textOf(message.content, index) };
  if (message.tool_calls)
    rendered.tool_calls = message.tool_calls.map((call) => ({
      type: 'function',
      ...call,
      function: { ...call.function, arguments: parsedOr(call.function.arguments) },
    }));
  return rendered;
}

function textOf(content: ChatMessage['content'], index: number): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  return content
    .map((part) => {
      if (part.type === 'text' && typeof part.text === 'string') return part.text;
      throw new BadRequest(
        `This model reads text only: messages.${index}.content has a part of type '${part.type}'.`,
        { param: `messages.${index}.content` },
      );
    })
    .join('\n');
}

function parsedOr(text: string): unknown {
  const { depth, values } = jsonShape(text, largestArguments);
  if (depth > largestArguments.depth || values > largestArguments.values) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

import { Template } from '@huggingface/jinja';
import { BadRequest } from '../../../../contracts/problems.ts';
import { jsonShape } from '../../../../platform/http/requests/json/json-shape.ts';
import type { ChatMessage, ToolDefinition } from '../../../engine.ts';
import { closeEmptyJson, joinEmptyBrackets } from './indented-json.ts';

export interface TemplateInput {
  messages: ChatMessage[];
  tools?: ToolDefinition[];
  addGenerationPrompt?: boolean;
  templateArguments?: Record<string, unknown>;
}

/** Texts of the special tokens that a template may refer to. */
export type SpecialTokens = Record<`${string}_token`, string>;

export interface ChatTemplate {
  readonly source: string;
  render(input: TemplateInput): string;
}

/** Larger tool call arguments are passed to the template as unparsed text. */
const maxArguments = { depth: 64, values: 100_000 };

/** Template for model files that have none: ChatML, which most small models have seen in training. */
const fallback =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/** Renders like `apply_chat_template` in transformers, with the same variables and special tokens. */
export function compileTemplate(source: string | undefined, special: SpecialTokens): ChatTemplate {
  const text = source ?? fallback;
  // Transformers uses this tag in training to mark the assistant's text; it produces no output.
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
        throw new BadRequest(`The model's chat template rejects these messages: ${reason.slice(0, 500)}`, {
          param: 'messages',
          cause: error,
        });
      }
    },
  };
}

/**
 * Converts text parts to text, missing content to an empty string, and call arguments to the object that templates
 * expect.
 */
function asTemplateMessage(message: ChatMessage, index: number): Record<string, unknown> {
  const rendered: Record<string, unknown> = { ...message, content: textOf(message.content, index) };
  if (message.tool_calls)
    rendered.tool_calls = message.tool_calls.map((call) => ({
      type: 'function',
      ...call,
      function: { ...call.function, arguments: parsedOrText(call.function.arguments) },
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
        `This model accepts only text: messages.${index}.content has a part of type '${part.type}'.`,
        { param: `messages.${index}.content` },
      );
    })
    .join('\n');
}

function parsedOrText(text: string): unknown {
  const { depth, values } = jsonShape(text, maxArguments);
  if (depth > maxArguments.depth || values > maxArguments.values) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

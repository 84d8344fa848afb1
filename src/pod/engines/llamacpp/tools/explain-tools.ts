import type { ChatMessage, ToolDefinition } from '../../../engine.ts';

/**
 * For templates without tool support: explains the tools in messages, in the wording that Hermes and Qwen models are
 * trained on.
 */
export function explainTools(messages: ChatMessage[], tools: ToolDefinition[]): ChatMessage[] {
  const plain = messages.map(withoutToolRoles);
  const explanation = [
    'You may call one or more functions to assist with the user query.',
    'You are provided with function signatures within <tools></tools> XML tags:',
    `<tools>\n${tools.map((tool) => JSON.stringify(tool)).join('\n')}\n</tools>`,
    'For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:',
    '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>',
  ].join('\n\n');
  const [first, ...rest] = plain;
  if (first?.role === 'system')
    return [{ ...first, content: `${contentText(first)}\n\n${explanation}` }, ...rest];
  return [{ role: 'system', content: explanation }, ...plain];
}

function withoutToolRoles(message: ChatMessage): ChatMessage {
  if (message.role === 'tool')
    return { role: 'user', content: `<tool_response>\n${contentText(message)}\n</tool_response>` };
  if (!message.tool_calls || message.tool_calls.length === 0) return message;
  const calls = message.tool_calls.map(
    ({ function: called }) =>
      `<tool_call>\n{"name": ${JSON.stringify(called.name)}, "arguments": ${called.arguments}}\n</tool_call>`,
  );
  const { tool_calls: _written, ...rest } = message;
  return { ...rest, content: [contentText(message), ...calls].filter(Boolean).join('\n') };
}

function contentText({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('\n');
}

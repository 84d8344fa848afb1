import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ChatMessage, ToolDefinition } from '../../../engine.ts';
import { compileTemplate } from './chat-template.ts';

const folder = join(import.meta.dirname, 'fixtures');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const expected: { texts: Record<string, Record<string, string | null>> } = JSON.parse(read('expected.json'));
const conversations: Record<string, Conversation> = JSON.parse(read('conversations.json'));

interface Conversation {
  messages: (ChatMessage & { tool_calls?: { function: { arguments: unknown } }[] })[];
  tools?: ToolDefinition[];
  add_generation_prompt?: boolean;
  arguments?: Record<string, unknown>;
}

/** Transformers is given a call's arguments as an object, the API gives them as text. */
function asWire(message: Conversation['messages'][number]): ChatMessage {
  if (!message.tool_calls) return message;
  const calls = message.tool_calls.map((call) => ({
    ...call,
    function: { ...call.function, arguments: JSON.stringify(call.function.arguments) },
  }));
  return { ...message, tool_calls: calls };
}

describe.each(Object.keys(expected.texts))('the template %s', (name) => {
  const template = compileTemplate(read(`${name}.jinja`), { bos_token: '<s>', eos_token: '</s>' });

  // Skip conversations whose text contains today's date.
  const dated = Object.entries(conversations).filter(
    ([, { arguments: given }]) => name !== 'header-style' || given?.date_string !== undefined,
  );
  it.each(dated)('renders %s as transformers does', (title, conversation) => {
    const render = () =>
      template.render({
        messages: conversation.messages.map(asWire),
        tools: conversation.tools,
        addGenerationPrompt: conversation.add_generation_prompt,
        templateArguments: conversation.arguments,
      });
    const text = expected.texts[name]?.[title];
    if (text === null) expect(render).toThrow(/chat template rejects these messages/);
    else expect(render()).toBe(text);
  });
});

describe('messages', () => {
  const template = compileTemplate('{% for m in messages %}[{{ m.role }}:{{ m.content }}]{% endfor %}', {});

  it('may hold their text in parts, or none', () => {
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
      { role: 'assistant', content: null },
    ];
    expect(template.render({ messages })).toBe('[user:one\ntwo][assistant:]');
  });

  it('are refused where a part is no text', () => {
    const messages = [{ role: 'user', content: [{ type: 'image_url' }] }];
    expect(() => template.render({ messages })).toThrow(
      /accepts only text: messages.0.content has a part of type 'image_url'/,
    );
  });
});

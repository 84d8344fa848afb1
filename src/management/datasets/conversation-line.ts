import { Conversation } from '../../contracts/management/datasets.ts';

export type ConversationFormat = 'messages' | 'sharegpt' | 'prompt-completion' | 'instruction';

export type ReadLine = { conversation: Conversation; format: ConversationFormat } | { error: string };

/** Reads one line of a data set, in any of the common conversation formats, as messages. */
export function readConversation(text: string): ReadLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: `not valid JSON: ${(error as Error).message}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { error: 'not a JSON object' };
  const recognised = recognise(value as Record<string, unknown>);
  if ('error' in recognised) return recognised;
  const parsed = Conversation.safeParse({ messages: recognised.messages });
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return { error: `${issue?.path.join('.')}: ${issue?.message}` };
  }
  if (
    !parsed.data.messages.some((message) => message.role === 'assistant' && message.content.trim() !== '')
  ) {
    return { error: 'no assistant message to learn from' };
  }
  return { conversation: parsed.data, format: recognised.format };
}

type Recognised = { messages: unknown; format: ConversationFormat } | { error: string };

function recognise(line: Record<string, unknown>): Recognised {
  if ('messages' in line) return { messages: line.messages, format: 'messages' };
  if ('conversations' in line) return fromShareGpt(line.conversations, line.system);
  if ('prompt' in line && 'completion' in line) return fromPair(line.prompt, line.completion);
  if ('instruction' in line && 'output' in line) return fromInstruction(line);
  return {
    error: 'expected "messages", "conversations", "prompt" and "completion", or "instruction" and "output"',
  };
}

const shareGptRoles: Record<string, string> = {
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  assistant: 'assistant',
  bot: 'assistant',
  system: 'system',
  tool: 'tool',
  observation: 'tool',
};

function fromShareGpt(turns: unknown, system: unknown): Recognised {
  if (!Array.isArray(turns)) return { error: 'conversations: expected a list of turns' };
  const messages = turns.map(
    (turn: { from?: string; role?: string; value?: unknown; content?: unknown }) => ({
      role: shareGptRoles[turn?.from ?? turn?.role ?? ''] ?? turn?.from,
      content: turn?.value ?? turn?.content,
    }),
  );
  const opening = typeof system === 'string' && system !== '' ? [{ role: 'system', content: system }] : [];
  return { messages: [...opening, ...messages], format: 'sharegpt' };
}

/** Either side may be text or a list of messages, as newer tools write it. */
function fromPair(prompt: unknown, completion: unknown): Recognised {
  const side = (value: unknown, role: string) => (Array.isArray(value) ? value : [{ role, content: value }]);
  return {
    messages: [...side(prompt, 'user'), ...side(completion, 'assistant')],
    format: 'prompt-completion',
  };
}

function fromInstruction(line: Record<string, unknown>): Recognised {
  const { instruction, input, output, system } = line;
  const question =
    typeof input === 'string' && input !== '' ? `${String(instruction)}\n\n${input}` : instruction;
  const opening = typeof system === 'string' && system !== '' ? [{ role: 'system', content: system }] : [];
  return {
    messages: [...opening, { role: 'user', content: question }, { role: 'assistant', content: output }],
    format: 'instruction',
  };
}

import type { CallOptions } from '../sending/call-options.ts';
import type { Sender } from '../sending/send-request.ts';
import { type ChatInput, chat } from './chat.ts';
import type { TokenUsage } from './usage.ts';

export interface CalledTool {
  id: string;
  name: string;
  /** JSON text, as the model wrote it. */
  arguments: string;
}

export interface ChatAnswer {
  text: string;
  reasoning: string;
  toolCalls: CalledTool[];
  /** `stop`, `length`, `tool_calls` or the server's own word. */
  finishReason: string | undefined;
  usage: TokenUsage | undefined;
}

/** The whole answer. It is streamed underneath, so that a long one does not look like a pod that is silent. */
export async function ask(
  sender: Sender,
  input: ChatInput & { n?: 1 },
  options: CallOptions,
): Promise<ChatAnswer> {
  const answer: ChatAnswer = {
    text: '',
    reasoning: '',
    toolCalls: [],
    finishReason: undefined,
    usage: undefined,
  };
  const calls = new Map<number, CalledTool>();
  for await (const event of chat(sender, input, options)) {
    if (event.type === 'text') answer.text += event.text;
    else if (event.type === 'reasoning') answer.reasoning += event.text;
    else if (event.type === 'finish') answer.finishReason = event.reason;
    else if (event.type === 'usage') answer.usage = event.usage;
    else {
      const call = calls.get(event.call) ?? { id: '', name: '', arguments: '' };
      calls.set(event.call, call);
      call.id ||= event.id ?? '';
      call.name ||= event.name ?? '';
      call.arguments += event.arguments;
    }
  }
  answer.toolCalls = [...calls].sort(([a], [b]) => a - b).map(([, call]) => call);
  return answer;
}

import type { Answer, Citation } from '../../contracts/document-index/questions.ts';
import type {
  ChatCompletionChunk,
  ChatCompletionResponse,
} from '../../contracts/openai/chat/chat-response.ts';
import { sourceList } from './source-list.ts';

/** What all pieces of one completion have in common. */
export interface CompletionHead {
  id: string;
  /** Seconds since 1970. */
  created: number;
  model: string;
}

/** A bot's answer as a whole completion, with its citations beside the choices. */
export function wholeCompletion(head: CompletionHead, { answer, documents, usage }: Answer): string {
  const content = answer + sourceList(answer, documents);
  const message = { role: 'assistant', content, refusal: null };
  const completion: ChatCompletionResponse & { citations: Citation[] } = {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage,
    citations: documents,
  };
  return JSON.stringify(completion);
}

type Delta = ChatCompletionChunk['choices'][number]['delta'];

/** A piece of the text as a server-sent event. */
export function textEvent(head: CompletionHead, delta: Delta): string {
  return event({ ...head, object: 'chat.completion.chunk', choices: [choice(delta, null)] });
}

/** The end of a stream: sources, citations and, where it was asked for, the usage, which clients expect last. */
export function endEvents(
  head: CompletionHead,
  { answer, documents, usage }: Answer,
  includeUsage: boolean,
): string {
  const sources = sourceList(answer, documents);
  const chunk = { ...head, object: 'chat.completion.chunk' as const };
  return [
    sources === '' ? '' : textEvent(head, { content: sources }),
    event({ ...chunk, choices: [choice({}, 'stop')], citations: documents }),
    includeUsage ? event({ ...chunk, choices: [], usage }) : '',
    'data: [DONE]\n\n',
  ].join('');
}

const choice = (delta: Delta, finish_reason: 'stop' | null) => ({
  index: 0,
  delta,
  logprobs: null,
  finish_reason,
});

const event = (chunk: ChatCompletionChunk & { citations?: Citation[] }) =>
  `data: ${JSON.stringify(chunk)}\n\n`;

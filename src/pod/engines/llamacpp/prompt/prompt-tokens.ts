import { BadRequest } from '../../../../contracts/problems.ts';
import type { ChatTemplate, TemplateInput } from './chat-template.ts';
import { disguise } from './disguise.ts';

/** What turning text into tokens needs of a model. */
export interface Vocabulary {
  tokenize(text: string, specialTokens: boolean): number[];
  /** Texts of the control tokens: turn markers, beginning and end of text. */
  controlTexts: string[];
  /** The token put before a plain text, where the model wants one. */
  beginning: number | undefined;
  /** No token writes more characters than this. */
  longestToken: number;
}

/**
 * The tokens of a conversation: exactly those of transformers for ordinary text. Where a message holds the text of
 * a control token (`<|im_end|>`), transformers would make it one, and a user could end his turn and speak as the
 * system; here it stays the letters it is.
 */
export function tokenizeChat(vocabulary: Vocabulary, template: ChatTemplate, input: TemplateInput): number[] {
  const disguised = disguise({ messages: input.messages, tools: input.tools }, vocabulary.controlTexts);
  const text = template.render({ ...input, ...disguised.value });
  return disguised.split(text).flatMap((part) => vocabulary.tokenize(part.text, !part.literal));
}

/** The tokens of a plain text, as transformers' tokenizer gives them: special tokens read, the first one added. */
export function tokenizeText(vocabulary: Vocabulary, text: string): number[] {
  const tokens = vocabulary.tokenize(text, true);
  const { beginning } = vocabulary;
  return beginning !== undefined && tokens[0] !== beginning ? [beginning, ...tokens] : tokens;
}

/** Refuses a text that can't fit, before a hundred megabytes of it are turned into tokens. */
export function refuseHopeless(vocabulary: Vocabulary, characters: number, contextLength: number): void {
  const atLeast = Math.ceil(characters / vocabulary.longestToken);
  if (atLeast > contextLength) throw contextExceeded(contextLength, `at least ${atLeast}`);
}

export function contextExceeded(
  contextLength: number,
  promptTokens: number | string,
  completion?: number,
): BadRequest {
  const counts =
    completion === undefined
      ? `your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`
      : `you requested ${Number(promptTokens) + completion} tokens (${promptTokens} in the messages, ${completion} in the completion). Please reduce the length of the messages or completion.`;
  return new BadRequest(
    `This model's maximum context length is ${contextLength} tokens. However, ${counts}`,
    {
      code: 'context_length_exceeded',
      param: 'messages',
    },
  );
}

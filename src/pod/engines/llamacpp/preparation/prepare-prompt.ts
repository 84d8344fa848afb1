import type { Constraint, Prompt } from '../../../engine.ts';
import type { ChatTemplate } from '../prompt/chat-template.ts';
import { disguise, type TextPart } from '../prompt/disguise.ts';
import { refuseHopeless } from '../prompt/tokenize-text.ts';
import { type AnswerTools, shapeAnswer } from './shape-answer.ts';

export interface PreparationInput {
  /** Tokens above which the prompt is refused. */
  limit: number;
  prompt: Prompt;
  constraint?: Constraint;
}

/** A request's prompt as text, and what its answer may look like. */
export interface Prepared {
  parts: TextPart[];
  grammar?: string;
  tools?: AnswerTools;
}

export interface PreparationModel {
  template: ChatTemplate;
  /** Texts of the control tokens: turn markers, beginning and end of text. */
  controlTexts: readonly string[];
  longestToken: number;
  contextLength: number;
}

/**
 * Builds the grammar and renders the conversation. Where a message holds the text of a control token (`<|im_end|>`),
 * transformers would make it one, and a user could end his turn and speak as the system; here it stays the letters
 * it is.
 */
export function preparePrompt(model: PreparationModel, input: PreparationInput): Prepared {
  const size = { ...model, limit: input.limit };
  const { prompt, ...shape } = shapeAnswer(model.template.source, input.prompt, input.constraint);
  if (prompt.kind !== 'chat') {
    const parts = prompt.kind === 'text' ? [{ text: prompt.text, literal: false }] : [];
    refuseHopeless(parts, size);
    return { parts, ...shape };
  }
  const disguised = disguise({ messages: prompt.messages, tools: prompt.tools }, model.controlTexts);
  const text = model.template.render({ ...prompt, ...disguised.value });
  refuseHopeless([{ text, literal: false }], size);
  const parts = disguised.split(text);
  refuseHopeless(parts, size);
  return { parts, ...shape };
}

import type { Constraint, Prompt } from '../../../engine.ts';
import type { ChatTemplate } from '../prompt/chat-template.ts';
import { disguise, type TextPart } from '../prompt/disguise.ts';
import { rejectOversized } from '../prompt/tokenize-text.ts';
import { type AnswerTools, shapeAnswer } from './shape-answer.ts';

export interface PreparationInput {
  /** Maximum number of prompt tokens; longer prompts are rejected. */
  limit: number;
  prompt: Prompt;
  constraint?: Constraint;
}

/** A request's prompt as text, and the constraints on its answer. */
export interface Prepared {
  parts: TextPart[];
  grammar?: string;
  tools?: AnswerTools;
}

export interface PreparationModel {
  template: ChatTemplate;
  /** Texts of the control tokens, such as turn markers and beginning and end of text. */
  controlTexts: readonly string[];
  longestToken: number;
  contextLength: number;
}

/**
 * Builds the grammar and renders the conversation. If a message contains the text of a control token (`<|im_end|>`),
 * transformers would turn it into that token, so a user could end the turn and write as the system. Here it remains
 * plain text.
 */
export function preparePrompt(model: PreparationModel, input: PreparationInput): Prepared {
  const size = { ...model, limit: input.limit };
  const { prompt, ...shape } = shapeAnswer(model.template.source, input.prompt, input.constraint);
  if (prompt.kind !== 'chat') {
    const parts = prompt.kind === 'text' ? [{ text: prompt.text, literal: false }] : [];
    rejectOversized(parts, size);
    return { parts, ...shape };
  }
  const disguised = disguise({ messages: prompt.messages, tools: prompt.tools }, model.controlTexts);
  const text = model.template.render({ ...prompt, ...disguised.value });
  rejectOversized([{ text, literal: false }], size);
  const parts = disguised.split(text);
  rejectOversized(parts, size);
  return { parts, ...shape };
}

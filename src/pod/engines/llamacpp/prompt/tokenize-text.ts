import { BadRequest } from '../../../../contracts/problems.ts';
import type { TextPart } from './disguise.ts';

/** The part of a model that tokenization needs. */
export interface Vocabulary {
  tokenize(text: string, specialTokens: boolean): number[];
  /** Texts of the control tokens, such as turn markers and beginning and end of text. */
  controlTexts: string[];
  /** The token prepended to plain text, if the model requires one. */
  beginning: number | undefined;
  /** Maximum number of characters per token. */
  longestToken: number;
  /** Whether the tokenizer splits text into words first, so that it can be cut between words. */
  splitsWords: boolean;
}

export interface TokenizeOptions {
  /** Maximum number of tokens; longer text is rejected. */
  limit: number;
  contextLength: number;
  /** Waits for a slot, so that the event loop can serve others in between. */
  slot(): Promise<void>;
}

/** llama.cpp's regular expressions overflow the stack and crash the process on words of about 40,000 characters. */
const maxSlice = 8_192;

/**
 * Tokenizes text in slices. llama.cpp's search for control tokens is quadratic and would take minutes for a long
 * conversation.
 */
export async function tokenizeParts(
  vocabulary: Vocabulary,
  parts: readonly TextPart[],
  { limit, contextLength, slot }: TokenizeOptions,
): Promise<number[]> {
  const tokens: number[] = [];
  for (const { text, literal } of parts) {
    for (const slice of slices(vocabulary, text)) {
      await slot();
      for (const token of vocabulary.tokenize(slice, !literal)) tokens.push(token);
      if (tokens.length > limit) throw contextExceeded(contextLength, `more than ${limit}`);
    }
  }
  return tokens;
}

/** Rejects text that can't fit before tokenizing hundreds of megabytes. */
export function rejectOversized(
  parts: readonly TextPart[],
  { longestToken, limit, contextLength }: { longestToken: number; limit: number; contextLength: number },
): void {
  let atLeast = 0;
  for (const { text } of parts) atLeast += Math.ceil(text.length / longestToken);
  if (atLeast > limit) throw contextExceeded(contextLength, `at least ${atLeast}`);
}

/** Cuts a long text only at token boundaries: before a control token, or between a word and a space. */
function* slices(vocabulary: Vocabulary, text: string): Generator<string> {
  let start = 0;
  while (text.length - start > maxSlice) {
    const end = cutBefore(vocabulary, text, start, start + maxSlice);
    if (end === undefined) break;
    yield text.slice(start, end);
    start = end;
  }
  if (start < text.length || text === '') yield text.slice(start);
}

function cutBefore(vocabulary: Vocabulary, text: string, start: number, end: number): number | undefined {
  const control = lastControl(vocabulary, text, start, end);
  if (control !== undefined) return control;
  if (!vocabulary.splitsWords) return nextControl(vocabulary, text, end);
  for (let at = end; at > start + maxSlice / 2; at--)
    if (text[at] === ' ' && isWord(text[at - 1]) && isWord(text[at + 1])) return at;
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

const isWord = (character: string | undefined) => character !== undefined && !/\s/.test(character);
const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

function lastControl(vocabulary: Vocabulary, text: string, start: number, end: number): number | undefined {
  const window = text.slice(start, end);
  let last: number | undefined;
  for (const found of window.matchAll(controlPattern(vocabulary))) if (found.index > 0) last = found.index;
  return last === undefined ? undefined : start + last;
}

function nextControl(vocabulary: Vocabulary, text: string, from: number): number | undefined {
  const pattern = controlPattern(vocabulary);
  pattern.lastIndex = from;
  return pattern.exec(text)?.index;
}

const patterns = new WeakMap<Vocabulary, RegExp>();

function controlPattern(vocabulary: Vocabulary): RegExp {
  let pattern = patterns.get(vocabulary);
  if (!pattern) {
    const longestFirst = vocabulary.controlTexts.filter(Boolean).sort((a, b) => b.length - a.length);
    pattern = new RegExp(longestFirst.map(escaped).join('|') || '(?!)', 'g');
    patterns.set(vocabulary, pattern);
  }
  pattern.lastIndex = 0;
  return pattern;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

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

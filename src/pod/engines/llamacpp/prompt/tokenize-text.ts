import { BadRequest } from '../../../../contracts/problems.ts';
import type { TextPart } from './disguise.ts';

/** What turning text into tokens needs of a model. */
export interface Vocabulary {
  tokenize(text: string, specialTokens: boolean): number[];
  /** Texts of the control tokens: turn markers, beginning and end of text. */
  controlTexts: string[];
  /** The token put before a plain text, where the model wants one. */
  beginning: number | undefined;
  /** No token writes more characters than this. */
  longestToken: number;
  /** The tokenizer splits text into words first, so that it can be cut between two of them. */
  splitsWords: boolean;
}

export interface TokenizeOptions {
  /** Tokens after which the text is refused. */
  limit: number;
  contextLength: number;
  /** Waits until the event loop had its turn. */
  slot(): Promise<void>;
}

/** llama.cpp's regular expressions overflow the stack, and end the process, on words of some 40,000 characters. */
const longestSlice = 8_192;

/**
 * The tokens of a text in slices. llama.cpp looks for every control token behind every other, which takes minutes
 * for a long conversation in one piece.
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

/** Refuses what can't fit, before a hundred megabytes of it are turned into tokens. */
export function refuseHopeless(
  parts: readonly TextPart[],
  { longestToken, limit, contextLength }: { longestToken: number; limit: number; contextLength: number },
): void {
  let atLeast = 0;
  for (const { text } of parts) atLeast += Math.ceil(text.length / longestToken);
  if (atLeast > limit) throw contextExceeded(contextLength, `at least ${atLeast}`);
}

/** Cuts a long text where its tokens end anyway: before a control token, or between a word and a space. */
function* slices(vocabulary: Vocabulary, text: string): Generator<string> {
  let start = 0;
  while (text.length - start > longestSlice) {
    const end = cutBefore(vocabulary, text, start, start + longestSlice);
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
  for (let at = end; at > start + longestSlice / 2; at--)
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

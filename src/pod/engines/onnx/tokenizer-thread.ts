import { Tokenizer } from '@huggingface/tokenizers';
import { serveThread } from './running/thread.ts';
import type { Frame, Sequence } from './sequence.ts';

export interface TokenizerSettings {
  tokenizer: object;
  config: object;
}

export interface TokenizeRequest {
  /** Texts, token ids without special tokens, or pairs of texts. */
  inputs: (string | number[] | { first: string; second: string })[];
  /** Token ids to turn into texts. */
  decode?: readonly (readonly number[])[];
}

export interface TokenizeResult {
  sequences: Sequence[];
  texts: string[];
  single: Frame;
  pair: Frame;
  vocabularySize: number;
}

serveThread<TokenizerSettings, TokenizeRequest, TokenizeResult>(async (settings) => {
  const tokenizer = new Tokenizer(settings.tokenizer, settings.config);
  const plain = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids;
  const template = tokenizer.encode('a').ids;
  const single = frameAround(template, plain('a'), plain('a'));
  const both = tokenizer.encode('a', { text_pair: 'b' }).ids;
  const pair = frameAround(both, plain('a'), plain('b'));
  const lead = template.slice(0, single.before);
  const tail = template.slice(template.length - single.after);
  const vocabularySize = Math.max(...tokenizer.get_vocab(true).values()) + 1;

  const encode = (input: TokenizeRequest['inputs'][number]): Sequence => {
    if (typeof input === 'string') return { ids: Int32Array.from(tokenizer.encode(input).ids) };
    if (Array.isArray(input))
      return { ids: Int32Array.from(isFramed(input, lead) ? input : [...lead, ...input, ...tail]) };
    const encoding = tokenizer.encode(input.first, { text_pair: input.second, return_token_type_ids: true });
    return { ids: Int32Array.from(encoding.ids), types: Int32Array.from(encoding.token_type_ids) };
  };

  return async ({ inputs, decode = [] }) => {
    const sequences = inputs.map(encode);
    const texts = decode.map((ids) => tokenizer.decode([...ids], { skip_special_tokens: false }));
    const transfer = sequences.flatMap(({ ids, types }) => [ids.buffer, ...(types ? [types.buffer] : [])]);
    return {
      result: { sequences, texts, single, pair, vocabularySize },
      transfer: transfer as ArrayBuffer[],
    };
  };
});

function frameAround(framed: number[], first: number[], last: number[]): Frame {
  const before = framed.findIndex((_, start) => startsWith(framed, first, start));
  const end = framed.findLastIndex((_, start) => startsWith(framed, last, start)) + last.length;
  return { before: Math.max(before, 0), after: framed.length - end };
}

function startsWith(ids: number[], part: number[], start: number): boolean {
  return part.every((id, offset) => ids[start + offset] === id);
}

/** Ids that begin with the template's first token already contain the special tokens. */
function isFramed(ids: number[], lead: number[]): boolean {
  return lead.length > 0 && startsWith(ids, lead, 0);
}

import type { LlamaModel } from 'node-llama-cpp';

/** The exact bytes of each token, including partial characters, which the tokenizer's text can't represent. */
export interface TokenBytes {
  /** Empty for control tokens. */
  of(token: number): Uint8Array;
  /** The name of a control token, or the bytes of any other token. */
  named(token: number): Uint8Array;
  isControl(token: number): boolean;
  readonly size: number;
}

const tokenType = { unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 };

export function readTokenBytes(model: LlamaModel): TokenBytes {
  const { tokens, token_type: types = [], model: kind } = model.fileInfo.metadata.tokenizer.ggml;
  const cache = new Map<number, Uint8Array>();
  const isControl = (token: number) =>
    types[token] === tokenType.control ||
    types[token] === tokenType.unknown ||
    types[token] === tokenType.unused;
  const write =
    writers[kind] ?? ((_text: string, token: number) => encode(model.detokenize([token as never])));

  function named(token: number): Uint8Array {
    const known = cache.get(token);
    if (known) return known;
    const text = tokens[token] ?? '';
    const literal = isControl(token) || types[token] === tokenType.userDefined;
    const bytes = literal ? encode(text) : write(text, token);
    cache.set(token, bytes);
    return bytes;
  }

  return {
    named,
    of: (token) => (isControl(token) ? nothing : named(token)),
    isControl,
    size: tokens.length,
  };
}

const nothing = new Uint8Array();
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const writers: Record<string, (text: string, token: number) => Uint8Array> = {
  gpt2: (text) => Uint8Array.from(text, (character) => gpt2Bytes.get(character) ?? 0x3f),
  llama: (text) => sentencePiece(text),
  gemma4: (text) => sentencePiece(text),
};

function sentencePiece(text: string): Uint8Array {
  const byte = /^<0x([0-9A-Fa-f]{2})>$/.exec(text)?.[1];
  return byte ? Uint8Array.of(Number.parseInt(byte, 16)) : encode(text.replaceAll('▁', ' '));
}

/** GPT-2 vocabularies represent each byte by a printable character; this is the inverse table. */
const gpt2Bytes: Map<string, number> = (() => {
  const printable = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
  const table = new Map<string, number>();
  let next = 256;
  for (let byte = 0; byte < 256; byte++)
    table.set(String.fromCodePoint(printable(byte) ? byte : next++), byte);
  return table;
})();

import { seededRandom } from '../random.ts';
import { type GgufTensor, writeGguf } from './gguf-writer.ts';

/** A Llama model of a few kilobytes with random weights and a byte vocabulary: loads in milliseconds, answers nonsense. */
export interface TinyModelOptions {
  seed?: number;
  width?: number;
  contextLength?: number;
  chatTemplate?: string;
}

const layers = 2;
const heads = 2;
const defaultWidth = 64;

const chatMl =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

export function writeTinyModel(path: string, options: TinyModelOptions = {}): void {
  const width = options.width ?? defaultWidth;
  const inner = width * 2;
  const random = weights(options.seed ?? 1);
  const vocabulary = tinyVocabulary();
  const matrix = (name: string, inputs: number, outputs: number): GgufTensor => ({
    name,
    dimensions: [inputs, outputs],
    values: Float32Array.from({ length: inputs * outputs }, () => (2 * random()) / Math.sqrt(inputs)),
  });
  const norm = (name: string): GgufTensor => ({
    name,
    dimensions: [width],
    values: new Float32Array(width).fill(1),
  });
  const blocks = Array.from({ length: layers }, (_, layer) => `blk.${layer}`).flatMap((block) => [
    norm(`${block}.attn_norm.weight`),
    matrix(`${block}.attn_q.weight`, width, width),
    matrix(`${block}.attn_k.weight`, width, width),
    matrix(`${block}.attn_v.weight`, width, width),
    matrix(`${block}.attn_output.weight`, width, width),
    norm(`${block}.ffn_norm.weight`),
    matrix(`${block}.ffn_gate.weight`, width, inner),
    matrix(`${block}.ffn_up.weight`, width, inner),
    matrix(`${block}.ffn_down.weight`, inner, width),
  ]);
  writeGguf(
    path,
    {
      'general.architecture': 'llama',
      'general.name': 'tiny',
      'general.file_type': 0,
      'llama.context_length': options.contextLength ?? 512,
      'llama.embedding_length': width,
      'llama.block_count': layers,
      'llama.feed_forward_length': inner,
      'llama.attention.head_count': heads,
      'llama.attention.head_count_kv': heads,
      'llama.attention.layer_norm_rms_epsilon': { float: 1e-5 },
      'llama.rope.dimension_count': width / heads,
      'llama.vocab_size': vocabulary.tokens.length,
      'tokenizer.ggml.model': 'gpt2',
      'tokenizer.ggml.pre': 'default',
      'tokenizer.ggml.tokens': vocabulary.tokens,
      'tokenizer.ggml.token_type': vocabulary.types,
      'tokenizer.ggml.merges': ['t h', 'th e'],
      'tokenizer.ggml.bos_token_id': vocabulary.tokens.indexOf('<|im_start|>'),
      'tokenizer.ggml.eos_token_id': vocabulary.tokens.indexOf('<|im_end|>'),
      'tokenizer.ggml.add_bos_token': false,
      'tokenizer.chat_template': options.chatTemplate ?? chatMl,
    },
    [
      matrix('token_embd.weight', width, vocabulary.tokens.length),
      norm('output_norm.weight'),
      matrix('output.weight', width, vocabulary.tokens.length),
      ...blocks,
    ],
  );
}

export interface TinyAdapterOptions {
  seed?: number;
  width?: number;
  alpha?: number;
  architecture?: string;
}

/** A LoRA adapter for `writeTinyModel` with the same width that visibly changes its answers. */
export function writeTinyAdapter(path: string, options: TinyAdapterOptions = {}): void {
  const width = options.width ?? defaultWidth;
  const rank = 4;
  const random = weights(options.seed ?? 2);
  const values = (count: number) => Float32Array.from({ length: count }, random);
  writeGguf(
    path,
    {
      'general.architecture': options.architecture ?? 'llama',
      'general.type': 'adapter',
      'adapter.type': 'lora',
      'adapter.lora.alpha': { float: options.alpha ?? 8 },
    },
    Array.from({ length: layers }, (_, layer) => `blk.${layer}.attn_output.weight`).flatMap((target) => [
      { name: `${target}.lora_a`, dimensions: [width, rank], values: values(width * rank) },
      { name: `${target}.lora_b`, dimensions: [rank, width], values: values(rank * width) },
    ]),
  );
}

/** All bytes in GPT-2's encoding, two merged words, and the ChatML markers. */
function tinyVocabulary(): { tokens: string[]; types: number[] } {
  const printable = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
  let next = 256;
  const bytes = Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(printable(byte) ? byte : next++),
  );
  const words = ['th', 'the'];
  const markers = ['<|im_start|>', '<|im_end|>'];
  return {
    tokens: [...bytes, ...words, ...markers],
    types: [...bytes.map(() => 1), ...words.map(() => 1), ...markers.map(() => 3)],
  };
}

/** Reproducible numbers between −1 and 1 from a seed. */
function weights(seed: number): () => number {
  const random = seededRandom(seed);
  return () => 2 * random.share() - 1;
}

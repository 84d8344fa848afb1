import { type GgufTensor, type GgufValue, writeGguf } from './gguf-file.ts';

/** A random Llama of two layers that speaks bytes, and adapters of it: files of half a megabyte, the same each time. */

const size = { hidden: 64, inner: 128, layers: 2, heads: 4, keyValueHeads: 2, context: 512, rank: 4 };
const headSize = size.hidden / size.heads;
const template =
  "{{ bos_token }}{% for message in messages %}{{ '<' + message['role'] + '>' + message['content'] + eos_token }}{% endfor %}{% if add_generation_prompt %}{{ '<assistant>' }}{% endif %}";

/** Unknown, beginning, end, the 256 bytes, and SentencePiece's space. */
const tokens = [
  '<unk>',
  '<s>',
  '</s>',
  ...Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
  '▁',
];
const kinds = tokens.map((_, index) => (index === 0 ? 2 : index < 3 ? 3 : index < 259 ? 6 : 1));

export function writeTinyGguf(path: string, options: { seed?: number } = {}): void {
  const random = randomNumbers(options.seed ?? 1);
  const matrix = (name: string, rows: number, columns: number): GgufTensor => ({
    name,
    shape: [rows, columns],
    values: Float32Array.from({ length: rows * columns }, () => random() * 0.35),
  });
  const ones = (name: string): GgufTensor => ({
    name,
    shape: [size.hidden],
    values: new Float32Array(size.hidden).fill(1),
  });
  const tensors = [
    matrix('token_embd.weight', tokens.length, size.hidden),
    ones('output_norm.weight'),
    matrix('output.weight', tokens.length, size.hidden),
    ...Array.from({ length: size.layers }, (_, layer) => [
      ones(`blk.${layer}.attn_norm.weight`),
      ones(`blk.${layer}.ffn_norm.weight`),
      ...Object.entries(matrices).map(([name, [rows, columns]]) =>
        matrix(`blk.${layer}.${name}.weight`, rows, columns),
      ),
    ]).flat(),
  ];
  writeGguf(path, modelMetadata(), tensors);
}

/** A LoRA adapter over the attention's queries and outputs, strong enough to change the likeliest token. */
export function writeTinyLora(path: string, options: { seed?: number } = {}): void {
  const random = randomNumbers(options.seed ?? 2);
  const tensors = Array.from({ length: size.layers }, (_, layer) =>
    (['attn_q', 'attn_output'] as const).flatMap((name) => {
      const [rows, columns] = matrices[name];
      const part = (suffix: string, shape: [number, number]): GgufTensor => ({
        name: `blk.${layer}.${name}.weight.${suffix}`,
        shape,
        values: Float32Array.from({ length: shape[0] * shape[1] }, () => random()),
      });
      return [part('lora_a', [size.rank, columns]), part('lora_b', [rows, size.rank])];
    }),
  ).flat();
  const metadata: Record<string, GgufValue> = {
    'general.architecture': 'llama',
    'general.type': 'adapter',
    'adapter.type': 'lora',
    'adapter.lora.alpha': { float32: size.rank },
  };
  writeGguf(path, metadata, tensors);
}

const keyValueWidth = headSize * size.keyValueHeads;
const matrices: Record<
  'attn_q' | 'attn_k' | 'attn_v' | 'attn_output' | 'ffn_gate' | 'ffn_up' | 'ffn_down',
  [number, number]
> = {
  attn_q: [size.hidden, size.hidden],
  attn_k: [keyValueWidth, size.hidden],
  attn_v: [keyValueWidth, size.hidden],
  attn_output: [size.hidden, size.hidden],
  ffn_gate: [size.inner, size.hidden],
  ffn_up: [size.inner, size.hidden],
  ffn_down: [size.hidden, size.inner],
};

function modelMetadata(): Record<string, GgufValue> {
  return {
    'general.architecture': 'llama',
    'general.name': 'tiny',
    'llama.context_length': { uint32: size.context },
    'llama.embedding_length': { uint32: size.hidden },
    'llama.block_count': { uint32: size.layers },
    'llama.feed_forward_length': { uint32: size.inner },
    'llama.attention.head_count': { uint32: size.heads },
    'llama.attention.head_count_kv': { uint32: size.keyValueHeads },
    'llama.attention.layer_norm_rms_epsilon': { float32: 1e-5 },
    'llama.rope.dimension_count': { uint32: headSize },
    'llama.vocab_size': { uint32: tokens.length },
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.tokens': { strings: tokens },
    'tokenizer.ggml.scores': { floats: tokens.map(() => 0) },
    'tokenizer.ggml.token_type': { int32s: kinds },
    'tokenizer.ggml.unknown_token_id': { uint32: 0 },
    'tokenizer.ggml.bos_token_id': { uint32: 1 },
    'tokenizer.ggml.eos_token_id': { uint32: 2 },
    'tokenizer.ggml.add_bos_token': true,
    'tokenizer.chat_template': template,
  };
}

/** Evenly spread over −1..1, the same for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1;
  };
}

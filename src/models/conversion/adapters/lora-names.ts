/** The names of a transformer's linear layers in PEFT and in GGUF. */
const layers = new Map([
  ['self_attn.q_proj', 'attn_q'],
  ['self_attn.k_proj', 'attn_k'],
  ['self_attn.v_proj', 'attn_v'],
  ['self_attn.o_proj', 'attn_output'],
  ['self_attn.qkv_proj', 'attn_qkv'],
  ['mlp.gate_proj', 'ffn_gate'],
  ['mlp.up_proj', 'ffn_up'],
  ['mlp.gate_up_proj', 'ffn_up'],
  ['mlp.down_proj', 'ffn_down'],
]);

/** For these, llama.cpp rotates adjacent pairs where the hub's format rotates halves, so rows of q and k are permuted. */
const turned = new Set(['llama', 'arcee', 'granite', 'smollm3']);
const straight = new Set(['qwen2', 'qwen3', 'gemma', 'gemma2', 'gemma3', 'phi3', 'olmo2']);

export const canConvertFor = (architecture: string): boolean =>
  turned.has(architecture) || straight.has(architecture);

export interface LoraTarget {
  /** The tensor of the base that it changes: `blk.3.attn_q.weight`. */
  tensor: string;
  side: 'a' | 'b';
  /** The module's name in PEFT, which may have its own rank or alpha: `model.layers.3.self_attn.q_proj`. */
  module: string;
  /** The heads whose rows are permuted. */
  heads: 'query' | 'key' | null;
}

/** Undefined where the name is not a LoRA weight of a layer that can be converted. */
export function loraTarget(name: string, architecture: string): LoraTarget | undefined {
  const [, module = '', side = ''] =
    /^(?:base_model\.model\.)?(.+)\.lora_([AB])(?:\.[\w-]+)?\.weight$/.exec(name) ?? [];
  if (side !== 'A' && side !== 'B') return undefined;
  const half = side === 'A' ? 'a' : 'b';
  if (module === 'lm_head') return { tensor: 'output.weight', side: half, module, heads: null };
  const [, block = '', layer = ''] =
    /^(?:model\.)?(?:language_model\.)?(?:model\.)?layers\.(\d+)\.(.+)$/.exec(module) ?? [];
  const gguf = layers.get(layer);
  if (gguf === undefined) return undefined;
  const swaps = turned.has(architecture) && half === 'b';
  const heads = swaps && gguf === 'attn_q' ? 'query' : swaps && gguf === 'attn_k' ? 'key' : null;
  return { tensor: `blk.${block}.${gguf}.weight`, side: half, module, heads };
}

/**
 * Interleaves the two halves of each head's rows: `[x0 x1 … | y0 y1 …]` becomes `[x0 y0 x1 y1 …]`.
 * `rows` is the matrix row by row, each `width` long.
 */
export function interleaveHalves(rows: Float32Array, width: number, heads: number): Float32Array {
  const out = new Float32Array(rows.length);
  const headRows = rows.length / width / heads;
  const half = headRows / 2;
  for (let head = 0; head < heads; head++) {
    for (let row = 0; row < headRows; row++) {
      const from = head * headRows + row;
      const to = head * headRows + (row % half) * 2 + Math.floor(row / half);
      out.set(rows.subarray(from * width, (from + 1) * width), to * width);
    }
  }
  return out;
}

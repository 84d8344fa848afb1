/** What each linear layer of a transformer is called in PEFT, and in GGUF. */
const layers: Record<string, string> = {
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'self_attn.qkv_proj': 'attn_qkv',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.gate_up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};

/** In these, llama.cpp turns neighbours where the hub's format turns halves: rows of q and k change places. */
const turned = new Set(['llama', 'arcee', 'granite', 'smollm3']);
const straight = new Set(['qwen2', 'qwen3', 'gemma', 'gemma2', 'gemma3', 'phi3', 'olmo2']);

export const canConvertFor = (architecture: string): boolean =>
  turned.has(architecture) || straight.has(architecture);

export interface LoraTarget {
  /** `blk.3.attn_q.weight`: the tensor of the base that it changes. */
  tensor: string;
  side: 'a' | 'b';
  /** The module as PEFT names it, for its own rank or alpha: `model.layers.3.self_attn.q_proj`. */
  module: string;
  /** Whose heads' rows change places. */
  heads: 'query' | 'key' | null;
}

/** Undefined for what is no LoRA weight of a layer that can be converted. */
export function loraTarget(name: string, architecture: string): LoraTarget | undefined {
  const [, module = '', side = ''] =
    /^(?:base_model\.model\.)?(.+)\.lora_([AB])(?:\.[\w-]+)?\.weight$/.exec(name) ?? [];
  if (side !== 'A' && side !== 'B') return undefined;
  const half = side === 'A' ? 'a' : 'b';
  if (module === 'lm_head') return { tensor: 'output.weight', side: half, module, heads: null };
  const [, block = '', layer = ''] =
    /^(?:model\.)?(?:language_model\.)?(?:model\.)?layers\.(\d+)\.(.+)$/.exec(module) ?? [];
  const gguf = layers[layer];
  if (gguf === undefined) return undefined;
  const swaps = turned.has(architecture) && half === 'b';
  const heads = swaps && gguf === 'attn_q' ? 'query' : swaps && gguf === 'attn_k' ? 'key' : null;
  return { tensor: `blk.${block}.${gguf}.weight`, side: half, module, heads };
}

/**
 * Rows of each head from halves to neighbours: of `[x0 x1 … | y0 y1 …]` comes `[x0 y0 x1 y1 …]`.
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

import { type GgufTensor, writeGguf } from '../../test/testkit/models/gguf-writer.ts';

/** SmolLM2-135M's matrices: rows and columns. */
const matrices: Record<string, [number, number]> = {
  attn_q: [576, 576],
  attn_k: [192, 576],
  attn_v: [192, 576],
  attn_output: [576, 576],
  ffn_gate: [1536, 576],
  ffn_up: [1536, 576],
  ffn_down: [576, 1536],
};
const layers = 30;

/** A LoRA file for all linear layers, as fine-tuning creates them; its values do not affect the speed. */
export function writeRandomAdapter(path: string, rank = 16): void {
  const tensors: GgufTensor[] = [];
  const part = (name: string, columns: number, rows: number) =>
    tensors.push({
      name,
      dimensions: [columns, rows],
      values: Float32Array.from({ length: rows * columns }, () => (Math.random() - 0.5) * 0.01),
    });
  for (let layer = 0; layer < layers; layer++) {
    for (const [name, [rows, columns]] of Object.entries(matrices)) {
      part(`blk.${layer}.${name}.weight.lora_a`, columns, rank);
      part(`blk.${layer}.${name}.weight.lora_b`, rank, rows);
    }
  }
  const metadata = {
    'general.architecture': 'llama',
    'general.type': 'adapter',
    'adapter.type': 'lora',
    'adapter.lora.alpha': { float: rank },
  };
  writeGguf(path, metadata, tensors);
}

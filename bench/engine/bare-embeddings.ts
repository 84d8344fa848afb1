import '../no-telemetry.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';

/** Sentence embeddings with only onnxruntime and a tokenizer, in the simplest way. */
export async function bareEmbedder(folder: string, threads: number) {
  const tokenizer = new Tokenizer(JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')), {});
  const session = await InferenceSession.create(join(folder, 'onnx', 'model_quantized.onnx'), {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  return {
    async embed(texts: string[]): Promise<Float32Array[]> {
      const sequences = texts.map((text) => tokenizer.encode(text).ids);
      const longest = Math.max(...sequences.map((ids) => ids.length));
      const tensor = (value: (ids: number[], index: number) => number) =>
        new Tensor(
          'int64',
          BigInt64Array.from(
            sequences.flatMap((ids) =>
              Array.from({ length: longest }, (_, index) => BigInt(value(ids, index))),
            ),
          ),
          [sequences.length, longest],
        );
      const output = await session.run({
        input_ids: tensor((ids, index) => ids[index] ?? 0),
        attention_mask: tensor((ids, index) => (index < ids.length ? 1 : 0)),
        token_type_ids: tensor(() => 0),
      });
      const hidden = output.last_hidden_state as Tensor;
      const data = hidden.data as Float32Array;
      const size = hidden.dims[2] as number;
      return sequences.map((ids, row) => meanOf(data, row * longest * size, ids.length, size));
    },
    close: () => session.release(),
  };
}

function meanOf(data: Float32Array, start: number, length: number, size: number): Float32Array {
  const vector = new Float32Array(size);
  for (let token = 0; token < length; token++) {
    for (let column = 0; column < size; column++) {
      vector[column] = (vector[column] ?? 0) + (data[start + token * size + column] ?? 0);
    }
  }
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

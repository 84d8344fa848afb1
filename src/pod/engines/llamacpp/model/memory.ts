import type { LlamaModel } from 'node-llama-cpp';
import { EngineStartFailed } from '../../../engine.ts';

/** Bytes per number in the KV cache (16-bit floats). */
const bytesPerNumber = 2;

/**
 * Rejects a context that can't fit, before the system kills the process. Counts only the KV cache, which is most of
 * it. Models with a sliding window or a recurrent state need less and are not checked.
 */
export function checkContextMemory(
  model: LlamaModel,
  contextLength: number,
  parallel: number,
  available: number,
): void {
  if (model.fileInsights.swaSize !== undefined || model.fileInsights.isRecurrent || model.gpuLayers > 0)
    return;
  const needed = contextLength * parallel * cacheBytesPerToken(model);
  if (needed <= available) return;
  throw new EngineStartFailed(
    'out-of-memory',
    `Not enough memory: ${parallel} sequences of ${contextLength} tokens need ${gigabytes(needed)}, ` +
      `but only ${gigabytes(available)} are free. Try a smaller max-model-len or fewer parallel sequences.`,
  );
}

/** Rejects weights that are larger than the available memory. */
export function checkWeightMemory(fileBytes: number, available: number): void {
  if (fileBytes <= available) return;
  throw new EngineStartFailed(
    'out-of-memory',
    `Not enough memory: the weights take ${gigabytes(fileBytes)}, but only ${gigabytes(available)} are free.`,
  );
}

function cacheBytesPerToken(model: LlamaModel): number {
  const {
    attention,
    block_count: layers = 0,
    embedding_length: width = 0,
  } = model.fileInfo.architectureMetadata;
  const heads = perLayer(attention?.head_count, layers);
  const keyValueHeads =
    attention?.head_count_kv === undefined ? heads : perLayer(attention.head_count_kv, layers);
  const headWidth = width / Math.max(1, heads[0] ?? 1);
  const numbers = (attention?.key_length ?? headWidth) + (attention?.value_length ?? headWidth);
  return keyValueHeads.reduce((total, count) => total + count * numbers * bytesPerNumber, 0);
}

const perLayer = (value: number | number[] | undefined, layers: number): number[] =>
  Array.isArray(value) ? value : Array.from({ length: layers }, () => value ?? 0);

const gigabytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

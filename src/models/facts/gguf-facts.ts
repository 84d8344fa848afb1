import type { PodTask } from '../../contracts/dispatcher/pods.ts';
import { type GgufHeader, readGguf } from './gguf.ts';
import { quantizationOf } from './gguf-quantization.ts';
import type { Shape } from './memory-estimate.ts';
import type { OwnFacts } from './own-facts.ts';

/** llama.cpp's numbers for the type of most tensors of a file. */
const fileTypes: Record<number, string> = {
  0: 'F32',
  1: 'F16',
  2: 'Q4_0',
  3: 'Q4_1',
  7: 'Q8_0',
  8: 'Q5_0',
  9: 'Q5_1',
  10: 'Q2_K',
  11: 'Q3_K_S',
  12: 'Q3_K_M',
  13: 'Q3_K_L',
  14: 'Q4_K_S',
  15: 'Q4_K_M',
  16: 'Q5_K_S',
  17: 'Q5_K_M',
  18: 'Q6_K',
  19: 'IQ2_XXS',
  20: 'IQ2_XS',
  21: 'Q2_K_S',
  22: 'IQ3_XS',
  23: 'IQ3_XXS',
  24: 'IQ1_S',
  25: 'IQ4_NL',
  26: 'IQ3_S',
  27: 'IQ3_M',
  28: 'IQ2_S',
  29: 'IQ2_M',
  30: 'IQ4_XS',
  31: 'IQ1_M',
  32: 'BF16',
  36: 'TQ1_0',
  37: 'TQ2_0',
  38: 'MXFP4',
};

const rankPooling = 4;

/** Reads the facts from GGUF files: the first contains the metadata, and all contain tensors. */
export async function ggufFacts(paths: readonly string[]): Promise<OwnFacts> {
  const headers = await Promise.all(paths.map(readGguf));
  const [first] = headers;
  const text = (key: string) => {
    const value = first?.metadata.get(key);
    return typeof value === 'string' ? value : null;
  };
  const architecture = text('general.architecture');
  const type = first?.metadata.get('general.file_type');
  return {
    task: taskOf(first, architecture),
    architecture,
    parameters: headers.reduce((sum, header) => sum + parametersOf(header), 0),
    context_length: numberAt(first, `${architecture}.context_length`),
    quantization: (typeof type === 'number' ? fileTypes[type] : undefined) ?? quantizationOf(paths[0] ?? ''),
    chat_template: text('tokenizer.chat_template') !== null,
    license: text('general.license'),
    shape: shapeOf(first, architecture),
  };
}

function parametersOf({ tensors }: GgufHeader): number {
  return tensors.reduce((sum, { dimensions }) => sum + dimensions.reduce((one, other) => one * other, 1), 0);
}

function taskOf(header: GgufHeader | undefined, architecture: string | null): PodTask | null {
  if (architecture === null) return null;
  const pooling = numberAt(header, `${architecture}.pooling_type`);
  if (pooling === rankPooling) return 'rerank';
  if (pooling !== null && pooling > 0) return 'embeddings';
  return /bert|t5encoder/.test(architecture) ? 'embeddings' : 'llm';
}

function shapeOf(header: GgufHeader | undefined, architecture: string | null): Shape | null {
  const at = (key: string) => numberAt(header, `${architecture}.${key}`);
  const layers = at('block_count');
  const width = at('embedding_length');
  const heads = at('attention.head_count');
  if (!layers || !width || !heads) return null;
  return {
    layers,
    keyValueHeads: at('attention.head_count_kv') ?? heads,
    headSize: at('attention.key_length') ?? width / heads,
  };
}

/** Some counts are given per layer; the largest is used. */
function numberAt(header: GgufHeader | undefined, key: string): number | null {
  const value = header?.metadata.get(key);
  if (Array.isArray(value)) return Math.max(0, ...value.map(Number));
  return typeof value === 'number' ? value : null;
}

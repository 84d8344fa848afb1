import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { BadRequest } from '../../../contracts/problems.ts';
import { type GgufHeader, readGguf } from '../../facts/gguf.ts';
import { readSafetensors, type SafetensorInfo } from '../../facts/safetensors.ts';
import {
  type AdapterConfig,
  alphasOf,
  readAdapterConfig,
  scaleOf,
  whyNotConvertible,
} from './adapter-config.ts';
import { toBytes, toFloats } from './float-bytes.ts';
import { type TensorPlan, writeGgufFile } from './gguf-writer.ts';
import { canConvertFor, interleaveHalves, type LoraTarget, loraTarget } from './lora-names.ts';

interface Conversion {
  /** A folder with `adapter_config.json` and `adapter_model.safetensors`. */
  adapter: string;
  /** The GGUF file of the base model. */
  base: string;
  to: string;
  type?: 'F32' | 'F16';
}

interface Part extends LoraTarget {
  info: SafetensorInfo;
}

/** Converts a PEFT adapter to a GGUF file for llama.cpp, after checking that it fits the base. */
export async function convertLora({ adapter, base, to, type = 'F32' }: Conversion): Promise<void> {
  const config = await readAdapterConfig(adapter);
  const obstacle = whyNotConvertible(config);
  if (obstacle) throw refusal(obstacle);
  const model = describeBase(await readGguf(base));
  const weights = join(adapter, 'adapter_model.safetensors');
  const parts = (await readSafetensors(weights)).map((info) => toPart(info, model.architecture));
  checkPairs(parts);
  for (const part of parts) checkFit(part, model);
  const alphas = await alphasOf(config, [...new Set(parts.map(({ module }) => module))]).catch(
    (error: unknown) => {
      throw error instanceof BadRequest ? refusal(error.message) : error;
    },
  );
  const file = await open(weights, 'r');
  try {
    const { size } = await file.stat();
    const cut = parts.find(({ info }) => info.end > size || info.end < info.start);
    if (cut) throw refusal(`'${cut.info.name}' is not within its file`);
    const tensors = parts
      .sort((one, other) => one.tensor.localeCompare(other.tensor) || one.side.localeCompare(other.side))
      .map(
        (part): TensorPlan => ({
          name: `${part.tensor}.lora_${part.side}`,
          dimensions: [...part.info.shape].reverse(),
          type,
          async bytes() {
            const { start, end, dtype } = part.info;
            const buffer = Buffer.alloc(end - start);
            await file.read(buffer, 0, buffer.length, start);
            const scale = { config, alpha: alphas.get(part.module) ?? config.lora_alpha };
            return toBytes(transformed(toFloats(buffer, dtype), part, scale, model), type);
          },
        }),
      );
    const header = {
      'general.architecture': model.architecture,
      'general.type': 'adapter',
      'adapter.type': 'lora',
      'adapter.lora.alpha': { float: config.lora_alpha },
    };
    await writeGgufFile(to, header, tensors);
  } finally {
    await file.close();
  }
}

/** llama.cpp scales every pair by alpha / rank; where PEFT uses another factor, B is scaled by the difference. */
function transformed(
  values: Float32Array,
  part: Part,
  { config, alpha }: { config: AdapterConfig; alpha: number },
  model: BaseModel,
): Float32Array {
  if (part.side === 'a') return values;
  const rank = part.info.shape[1] ?? 1;
  const factor = scaleOf(config, alpha, rank) / (config.lora_alpha / rank);
  const scaled = Math.abs(factor - 1) < 1e-9 ? values : values.map((value) => value * factor);
  return part.heads === null ? scaled : interleaveHalves(scaled, rank, model.heads[part.heads]);
}

interface BaseModel {
  architecture: string;
  heads: { query: number; key: number };
  /** Inputs and outputs of each tensor. */
  sides: Map<string, number[]>;
}

function describeBase({ metadata, tensors }: GgufHeader): BaseModel {
  const architecture = String(metadata.get('general.architecture') ?? '');
  if (!canConvertFor(architecture)) {
    throw refusal(
      `adapters for models of the architecture '${architecture}' can't be converted for llama.cpp`,
    );
  }
  const query = Number(metadata.get(`${architecture}.attention.head_count`));
  const key = Number(metadata.get(`${architecture}.attention.head_count_kv`) ?? query);
  return {
    architecture,
    heads: { query, key },
    sides: new Map(tensors.map(({ name, dimensions }) => [name, dimensions])),
  };
}

function toPart(info: SafetensorInfo, architecture: string): Part {
  const target = loraTarget(info.name, architecture);
  if (!target) throw refusal(`it changes '${info.name}', which llama.cpp does not support`);
  if (info.shape.length !== 2) throw refusal(`'${info.name}' is not a matrix`);
  return { ...target, info };
}

function checkPairs(parts: readonly Part[]): void {
  const ranks = new Map<string, { a?: number | undefined; b?: number | undefined }>();
  for (const { tensor, side, info } of parts) {
    const pair = ranks.get(tensor) ?? {};
    ranks.set(tensor, { ...pair, [side]: side === 'a' ? info.shape[0] : info.shape[1] });
  }
  if (ranks.size === 0) throw refusal('it contains no weights');
  for (const [tensor, { a, b }] of ranks) {
    if (a === undefined || a !== b) throw refusal(`the two matrices for '${tensor}' don't fit each other`);
  }
}

function checkFit({ tensor, side, info }: Part, { sides }: BaseModel): void {
  const base = sides.get(tensor);
  if (!base) throw refusal(`it was made for another base: this one has no '${tensor}'`);
  const found = side === 'a' ? info.shape[1] : info.shape[0];
  const expected = side === 'a' ? base[0] : base[1];
  if (found === expected) return;
  const what = side === 'a' ? 'inputs' : 'outputs';
  throw refusal(
    `it was made for another base: '${tensor}' has ${expected} ${what} here and ${found} in the adapter`,
  );
}

function refusal(reason: string): BadRequest {
  return new BadRequest(`it can't be served by llama.cpp: ${reason}`, { code: 'invalid_adapter' });
}

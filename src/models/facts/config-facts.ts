import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PodTask } from '../../contracts/dispatcher/pods.ts';
import { BadRequest } from '../../contracts/problems.ts';
import type { Shape } from './memory-estimate.ts';
import type { OwnFacts } from './own-facts.ts';
import { readSafetensors, type SafetensorInfo } from './safetensors.ts';

type Json = Record<string, unknown>;

/** Reads the facts from `config.json`, the files beside it and the headers of safetensors files. */
export async function configFacts(folder: string, weights: readonly string[]): Promise<OwnFacts> {
  const config = readJson(join(folder, 'config.json')) ?? {};
  // Multimodal models keep the settings of their text model in a section of its own.
  const text = { ...config, ...objectAt(config, 'text_config') };
  const architectures = Array.isArray(config.architectures) ? config.architectures.map(String) : [];
  const files = weights.filter((file) => file.endsWith('.safetensors'));
  const tensors = (await Promise.all(files.map((file) => readSafetensors(join(folder, file))))).flat();
  return {
    task: taskOf(folder, config, architectures[0] ?? ''),
    architecture: architectures[0] ?? stringAt(config, 'model_type'),
    parameters: tensors.length > 0 ? tensors.reduce((sum, tensor) => sum + elements(tensor), 0) : null,
    context_length: firstNumber(text, [
      'max_position_embeddings',
      'n_positions',
      'n_ctx',
      'max_seq_len',
      'seq_length',
    ]),
    quantization: quantizationOf(config, tensors, weights),
    chat_template: hasTemplate(folder),
    license: null,
    shape: shapeOf(text),
  };
}

function taskOf(folder: string, config: Json, architecture: string): PodTask | null {
  if (existsSync(join(folder, 'modules.json'))) return 'embeddings';
  if (/ForCausalLM$|ForConditionalGeneration$/.test(architecture)) {
    return /Whisper|Speech/.test(architecture) ? 'asr' : 'llm';
  }
  if (/ForSequenceClassification$/.test(architecture)) {
    const labels = config.id2label;
    return typeof labels !== 'object' || labels === null || Object.keys(labels).length === 1
      ? 'rerank'
      : null;
  }
  if (
    /(Bert|Roberta|MPNet|Electra|DistilBert|ModernBert|NomicBert|New)(Model|ForMaskedLM)$/i.test(architecture)
  ) {
    return 'embeddings';
  }
  return null;
}

function shapeOf(config: Json): Shape | null {
  const layers = firstNumber(config, ['num_hidden_layers', 'n_layer']);
  const heads = firstNumber(config, ['num_attention_heads', 'n_head']);
  const width = firstNumber(config, ['hidden_size', 'n_embd']);
  if (!layers || !heads || !width) return null;
  const keyValueHeads = firstNumber(config, ['num_key_value_heads']) ?? heads;
  return { layers, keyValueHeads, headSize: firstNumber(config, ['head_dim']) ?? width / heads };
}

function quantizationOf(config: Json, tensors: SafetensorInfo[], weights: readonly string[]): string | null {
  const settings = objectAt(config, 'quantization_config');
  if (settings) {
    const bits = firstNumber(settings, ['bits', 'weight_bits']);
    return [stringAt(settings, 'quant_method'), bits && `${bits} bit`].filter(Boolean).join(' ') || null;
  }
  if (tensors.length > 0) return dominantType(tensors);
  const onnx = weights.find((file) => file.endsWith('.onnx')) ?? '';
  if (/quantized|q?u?int8/.test(onnx)) return 'INT8';
  return /fp16/.test(onnx) ? 'F16' : stringAt(config, 'torch_dtype');
}

/** The type of most weights: F32, F16, BF16, … */
function dominantType(tensors: SafetensorInfo[]): string {
  const sums = new Map<string, number>();
  for (const tensor of tensors) sums.set(tensor.dtype, (sums.get(tensor.dtype) ?? 0) + elements(tensor));
  return [...sums].sort(([, one], [, other]) => other - one)[0]?.[0] ?? '';
}

function hasTemplate(folder: string): boolean {
  if (existsSync(join(folder, 'chat_template.jinja')) || existsSync(join(folder, 'chat_template.json')))
    return true;
  return readJson(join(folder, 'tokenizer_config.json'))?.chat_template !== undefined;
}

const elements = ({ shape }: SafetensorInfo) => shape.reduce((one, other) => one * other, 1);

/** These files have a few megabytes at most; a very large one would hold up every request while it is read. */
const longestJson = 16 * 2 ** 20;

export function readJson(path: string): Json | undefined {
  if (!existsSync(path)) return undefined;
  const { size } = statSync(path);
  if (size > longestJson) throw new BadRequest(`${path.split('/').at(-1)} of the model has ${size} bytes`);
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Json) : undefined;
  } catch (error) {
    throw new BadRequest(`${path.split('/').at(-1)} of the model is not valid JSON`, { cause: error });
  }
}

function objectAt(json: Json, key: string): Json | undefined {
  const value = Object.hasOwn(json, key) ? json[key] : undefined;
  return typeof value === 'object' && value !== null ? (value as Json) : undefined;
}

function stringAt(json: Json, key: string): string | null {
  const value = json[key];
  return typeof value === 'string' ? value : null;
}

function firstNumber(json: Json, keys: readonly string[]): number | null {
  return keys.map((key) => json[key]).find((value): value is number => typeof value === 'number') ?? null;
}

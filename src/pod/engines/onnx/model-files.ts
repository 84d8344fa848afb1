import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { onnxPrecision, onnxPrecisions } from '../../../contracts/model-options.ts';
import { EngineStartFailed } from '../../engine.ts';

export interface ModelFiles {
  /** The folder with the tokenizer and the configuration. */
  folder: string;
  weights: string;
  weightBytes: number;
  tokenizer: unknown;
  /** Parsed JSON files; missing files are undefined. */
  configs: ModelConfigs;
}

type JsonObject = Record<string, unknown>;

export interface ModelConfigs {
  model?: JsonObject;
  tokenizer?: JsonObject;
  modules?: unknown[];
  pooling?: JsonObject;
  sentenceBert?: JsonObject;
  sentenceTransformers?: JsonObject;
}

/** Finds and reads the files of a model. `path` is its folder, or an ONNX file in it. */
export function readModelFiles(path: string, dtype = 'auto'): ModelFiles {
  if (!existsSync(path)) throw new EngineStartFailed('missing-file', `No model found at ${path}.`);
  const weights = statSync(path).isDirectory() ? chooseWeights(path, dtype) : path;
  const folder = folderOf(path, weights);
  const tokenizerFile = join(folder, 'tokenizer.json');
  if (!existsSync(tokenizerFile)) {
    throw new EngineStartFailed('missing-file', `The model in ${folder} has no tokenizer.json.`);
  }
  const weightBytes = statSync(weights).size + externalBytes(weights);
  rejectPointer(weights, weightBytes);
  const modules = readJson(join(folder, 'modules.json')) as unknown[] | undefined;
  return {
    folder,
    weights,
    weightBytes,
    tokenizer: readJson(tokenizerFile),
    configs: {
      model: readObject(join(folder, 'config.json')),
      tokenizer: readObject(join(folder, 'tokenizer_config.json')),
      modules,
      pooling: readObject(join(folder, poolingFolder(modules), 'config.json')),
      sentenceBert: readObject(join(folder, 'sentence_bert_config.json')),
      sentenceTransformers: readObject(join(folder, 'config_sentence_transformers.json')),
    },
  };
}

function chooseWeights(folder: string, dtype: string): string {
  const found = [folder, join(folder, 'onnx')]
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place).map((name) => join(place, name)))
    .filter((file) => file.endsWith('.onnx'));
  if (found.length === 0) throw new EngineStartFailed('missing-file', `No ONNX file found in ${folder}.`);
  const wanted = dtype === 'auto' ? [...onnxPrecisions.keys()] : [onnxPrecision(dtype)];
  for (const precision of wanted) {
    const match = found.find((file) => onnxPrecisions.get(precision)?.test(basename(file)));
    if (match) return match;
  }
  if (dtype === 'auto' && found.length === 1) return found[0] as string;
  const names = found.map((file) => basename(file)).join(', ');
  const reason = dtype === 'auto' ? 'none is an obvious choice' : `none has the dtype ${dtype}`;
  throw new EngineStartFailed('unsupported', `Of the ONNX files in ${folder} (${names}), ${reason}.`);
}

/** `onnx/model.onnx` is one folder below its tokenizer. */
function folderOf(path: string, weights: string): string {
  if (path !== weights) return path;
  const own = dirname(weights);
  const above = dirname(own);
  return !existsSync(join(own, 'tokenizer.json')) && existsSync(join(above, 'tokenizer.json')) ? above : own;
}

function externalBytes(weights: string): number {
  const names = [`${weights}_data`, `${weights}.data`];
  return names.reduce((sum, name) => sum + (existsSync(name) ? statSync(name).size : 0), 0);
}

function rejectPointer(weights: string, bytes: number): void {
  if (bytes === 0) throw new EngineStartFailed('corrupt-file', `The model file ${weights} is empty.`);
  if (bytes < 1024 && readFileSync(weights, 'utf8').startsWith('version https://git-lfs')) {
    throw new EngineStartFailed(
      'corrupt-file',
      `The model file ${weights} is a Git LFS pointer, not the model. Download the actual file.`,
    );
  }
}

function poolingFolder(modules: unknown[] | undefined): string {
  const pooling = modules?.find((entry) => moduleType(entry) === 'Pooling') as { path?: string } | undefined;
  return pooling?.path ?? '1_Pooling';
}

/** `sentence_transformers.models.Pooling` and its newer, longer names → `Pooling`. */
export function moduleType(entry: unknown): string {
  const type = (entry as { type?: unknown } | null)?.type;
  return typeof type === 'string' ? (type.split('.').at(-1) ?? '') : '';
}

function readObject(path: string): JsonObject | undefined {
  const value = readJson(path);
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

function readJson(path: string): unknown {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new EngineStartFailed('corrupt-file', `${path} is not valid JSON.`, { cause: error });
  }
}

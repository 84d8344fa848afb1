import type { PodEngine } from '../../contracts/dispatcher/pod-plan.ts';
import { BadRequest } from '../../contracts/problems.ts';
import type { ModelFormat } from '../facts/model-format.ts';
import { chooseGguf, isGguf } from './gguf-files.ts';
import type { HubRepository, ListedFile } from './hub-client.ts';

export interface ChosenFiles {
  format: ModelFormat;
  files: ListedFile[];
}

interface Wish {
  quantization: string | null;
  /** The engines that run here: they decide between formats of the same model. */
  engines: readonly PodEngine[];
  allowPickle?: boolean;
}

/** Settings, tokenizer and template; never code or leftovers of training runs. */
const besideWeights =
  /^(config|generation_config|tokenizer|tokenizer_config|special_tokens_map|added_tokens|vocab|merges|preprocessor_config|processor_config|chat_template|modules|sentence_bert_config|config_sentence_transformers|quantize_config|quant_config|hf_quant_config)\.(json|txt|jinja)$|^(vocab|merges)\.txt$|^(tokenizer|spiece|sentencepiece(\.bpe)?)\.model$|^[\w.-]+\.tiktoken$|^tekken\.json$|^\d+_\w+\/config\.json$/;

const pickles = /\.(bin|pt|pth|ckpt|pkl|pickle)$/;

/** Chooses the files of a repository that an engine here needs. */
export function chooseFiles(repository: HubRepository, wish: Wish): ChosenFiles {
  const { files, name } = repository;
  const beside = files.filter((file) => besideWeights.test(file.path));
  const adapter = chooseAdapter(files, wish);
  if (adapter) return { format: 'peft', files: [...adapter, ...beside] };

  const formats = availableFormats(repository, wish);
  const format = formats[0];
  if (format === undefined) throw nothingToServe(repository);
  const chosen = {
    gguf: () => chooseGguf(files, wish.quantization, name),
    safetensors: () => [...chooseSafetensors(files), ...beside],
    onnx: () => [...chooseOnnx(files), ...beside],
    pickle: () => [...files.filter(isPickleWeight), ...beside],
  };
  return { format, files: unique(chosen[format]()) };
}

function chooseAdapter(files: readonly ListedFile[], { allowPickle }: Wish): ListedFile[] | undefined {
  const settings = files.find((file) => file.path === 'adapter_config.json');
  if (!settings) return undefined;
  const weights =
    files.find((file) => file.path === 'adapter_model.safetensors') ??
    (allowPickle ? files.find((file) => file.path === 'adapter_model.bin') : undefined);
  if (!weights) throw new BadRequest('the adapter has no adapter_model.safetensors');
  return [settings, weights];
}

/** The formats that the repository has, the preferred one first. */
function availableFormats(repository: HubRepository, wish: Wish): Exclude<ModelFormat, 'peft'>[] {
  const { files } = repository;
  const there = {
    gguf: files.some(isGguf),
    safetensors: chooseSafetensors(files).length > 0,
    onnx: chooseOnnx(files).length > 0,
    pickle: wish.allowPickle === true && files.some(isPickleWeight),
  };
  if (wish.quantization !== null) return ['gguf'];
  const forGpu = wish.engines.includes('vllm') && !isEncoder(repository);
  const order = isEncoder(repository)
    ? (['onnx', 'gguf', 'safetensors', 'pickle'] as const)
    : forGpu
      ? (['safetensors', 'gguf', 'pickle', 'onnx'] as const)
      : (['gguf', 'safetensors', 'onnx', 'pickle'] as const);
  return order.filter((format) => there[format]);
}

function isEncoder({ pipelineTag, library, files }: HubRepository): boolean {
  return (
    library === 'sentence-transformers' ||
    ['sentence-similarity', 'feature-extraction', 'text-ranking'].includes(pipelineTag ?? '') ||
    files.some((file) => file.path === 'modules.json')
  );
}

function chooseSafetensors(files: readonly ListedFile[]): ListedFile[] {
  const atTop = files.filter((file) => file.path.endsWith('.safetensors') && !file.path.includes('/'));
  const modules = files.filter((file) => /^\d+_\w+\/model\.safetensors$/.test(file.path));
  const shards = atTop.filter((file) => /^model-\d{5}-of-\d{5}\.safetensors$/.test(file.path));
  const index = files.filter((file) => file.path === 'model.safetensors.index.json');
  if (shards.length > 0 && index.length > 0) return [...index, ...shards, ...modules];
  const whole = atTop.filter((file) => file.path === 'model.safetensors');
  if (whole.length > 0) return [...whole, ...modules];
  // `consolidated…` files contain the same weights in another layout; adapters are not models.
  const others = atTop.filter((file) => !/^(consolidated|adapter_model)/.test(file.path));
  return others.length === 0 ? [] : [...index, ...others, ...modules];
}

/** One precision: 8 bit where it exists, since it is as good and four times as fast on a CPU. */
function chooseOnnx(files: readonly ListedFile[]): ListedFile[] {
  const names = ['model_quantized', 'model_int8', 'model_qint8_avx512', 'model', 'model_fp16'];
  const wanted = ['onnx/', ''].flatMap((folder) => names.map((name) => `${folder}${name}.onnx`));
  const paths = new Map(files.map((file) => [file.path, file]));
  const weights = wanted.map((path) => paths.get(path)).find((file) => file !== undefined);
  if (!weights) return [];
  const data = [`${weights.path}_data`, `${weights.path}.data`].flatMap((path) => paths.get(path) ?? []);
  return [weights, ...data];
}

const isPickleWeight = ({ path }: ListedFile) =>
  /^pytorch_model(-\d{5}-of-\d{5})?\.bin$|^pytorch_model\.bin\.index\.json$/.test(path);

function nothingToServe({ name, files }: HubRepository): BadRequest {
  const onlyPickles = files.some((file) => pickles.test(file.path));
  return new BadRequest(
    onlyPickles
      ? `'${name}' has its weights only as pickle files, which can run code when they are loaded; they are fetched only with allow_pickle=true`
      : `'${name}' has no weights that an engine can load (safetensors, GGUF or ONNX)`,
    { param: 'model_id' },
  );
}

const unique = (files: ListedFile[]): ListedFile[] => [
  ...new Map(files.map((file) => [file.path, file])).values(),
];

import { EngineStartFailed } from '../../engine.ts';
import { type ModelConfigs, moduleType } from './model-files.ts';

export type Pooling = 'mean' | 'cls' | 'max' | 'last' | 'mean-sqrt' | 'weighted-mean';

/** How a model turns text into a vector, according to its files. */
export interface Recipe {
  pooling: Pooling;
  normalize: boolean;
  /** Maximum number of tokens per input, including special tokens. */
  maxTokens: number;
  /** Prefixes for texts, by purpose. */
  prefixes: { query: string; document: string; default: string };
  /** Lengths to which vectors may be shortened: a list, any, or none. */
  shorter: number[] | 'any' | 'none';
}

const poolingModes: Record<string, Pooling> = {
  mean_tokens: 'mean',
  mean: 'mean',
  cls_token: 'cls',
  cls: 'cls',
  max_tokens: 'max',
  max: 'max',
  lasttoken: 'last',
  mean_sqrt_len_tokens: 'mean-sqrt',
  weightedmean_tokens: 'weighted-mean',
  weightedmean: 'weighted-mean',
};

export function readRecipe(configs: ModelConfigs, options: { name: string; maxTokens?: number }): Recipe {
  rejectUnknownModules(configs.modules);
  return {
    pooling: readPooling(configs.pooling, isBge(configs, options.name) ? 'cls' : 'mean'),
    // Without a module list, normalise: users of embeddings expect unit length.
    normalize: configs.modules ? configs.modules.some((entry) => moduleType(entry) === 'Normalize') : true,
    maxTokens: readMaxTokens(configs, options.maxTokens),
    prefixes: readPrefixes(configs, options.name),
    shorter: readShorter(configs),
  };
}

function rejectUnknownModules(modules: unknown[] | undefined): void {
  const known = ['Transformer', 'Pooling', 'Normalize'];
  const other = modules?.map(moduleType).find((type) => !known.includes(type));
  if (other !== undefined) {
    throw new EngineStartFailed(
      'unsupported',
      `The model has a ${other || 'nameless'} module after its transformer, which the onnx engine does not support.`,
    );
  }
}

function readPooling(config: Record<string, unknown> | undefined, usual: Pooling): Pooling {
  if (config === undefined) return usual;
  if (config.include_prompt === false) {
    throw new EngineStartFailed(
      'unsupported',
      'The model excludes its prompt from pooling (include_prompt: false), which is not supported.',
    );
  }
  const named = typeof config.pooling_mode === 'string' ? [config.pooling_mode] : [];
  const flagged = Object.entries(config)
    .filter(([key, value]) => key.startsWith('pooling_mode_') && value === true)
    .map(([key]) => key.slice('pooling_mode_'.length));
  const modes = [...named, ...flagged];
  const mode = poolingModes[modes[0] ?? ''];
  if (modes.length !== 1 || mode === undefined) {
    throw new EngineStartFailed(
      'unsupported',
      `The model uses the pooling ${modes.join(' and ') || 'none'}, which is not supported.`,
    );
  }
  return mode;
}

/** The tokenizer's `truncation` is ignored: exporters leave 128 there for models that support more. */
function readMaxTokens(configs: ModelConfigs, requested: number | undefined): number {
  const positions = positiveInteger(configs.model?.max_position_embeddings);
  // RoBERTa's positions start after the padding id.
  const offset = /roberta|camembert|xlm|mpnet/.test(String(configs.model?.model_type)) ? 2 : 0;
  const hardLimit = positions === undefined ? undefined : positions - offset;
  const own =
    positiveInteger(configs.sentenceBert?.max_seq_length) ??
    positiveInteger(configs.tokenizer?.model_max_length) ??
    hardLimit ??
    512;
  const limit = hardLimit ?? own;
  if (requested !== undefined && requested > Math.max(limit, own)) {
    throw new EngineStartFailed(
      'unsupported',
      `max_model_len ${requested} exceeds the ${limit} tokens that the model supports.`,
    );
  }
  return requested ?? Math.min(own, limit);
}

function positiveInteger(value: unknown): number | undefined {
  // Tokenizers without a limit specify 1e30.
  return typeof value === 'number' && value > 0 && value < 10_000_000 ? Math.floor(value) : undefined;
}

function readPrefixes(configs: ModelConfigs, name: string): Recipe['prefixes'] {
  const settings = configs.sentenceTransformers;
  const prompts = (settings?.prompts ?? {}) as Record<string, unknown>;
  const text = (...keys: string[]) => {
    const key = keys.find((candidate) => typeof prompts[candidate] === 'string');
    return key === undefined ? '' : (prompts[key] as string);
  };
  const declared = Object.values(prompts).some((prompt) => typeof prompt === 'string' && prompt !== '');
  // E5's model card requires these prefixes, but its files rarely declare them.
  if (!declared && isE5(configs, name)) return { query: 'query: ', document: 'passage: ', default: '' };
  const defaultName = settings?.default_prompt_name;
  return {
    query: text('query', 'web_search_query', 'search_query'),
    document: text('document', 'passage', 'search_document', 'corpus'),
    default: typeof defaultName === 'string' ? text(defaultName) : '',
  };
}

function isE5(configs: ModelConfigs, name: string): boolean {
  return isNamed(/(^|[/_-])e5-(small|base|large)(?!.*instruct)/i, configs, name);
}

/** Exports of BGE models often lack the pooling module, and they were trained with the first token. */
function isBge(configs: ModelConfigs, name: string): boolean {
  return isNamed(/(^|[/_-])bge-(m3|small|base|large)/i, configs, name);
}

function isNamed(pattern: RegExp, configs: ModelConfigs, name: string): boolean {
  return [name, String(configs.model?._name_or_path ?? '')].some((candidate) => pattern.test(candidate));
}

/** vLLM uses the same keys to recognise a Matryoshka model. */
function readShorter(configs: ModelConfigs): Recipe['shorter'] {
  for (const source of [configs.model, configs.sentenceTransformers]) {
    const list = source?.matryoshka_dimensions;
    if (Array.isArray(list) && list.every((size) => Number.isInteger(size))) return list as number[];
    if (source?.is_matryoshka === true) return 'any';
  }
  return 'none';
}

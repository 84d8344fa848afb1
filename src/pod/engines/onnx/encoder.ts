import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { BadRequest } from '../../../contracts/problems.ts';
import { type EngineFacts, EngineStartFailed, type EngineStatus } from '../../engine.ts';
import { type ModelFiles, readModelFiles } from './model-files.ts';
import { type Recipe, readRecipe } from './recipe.ts';
import { Batcher } from './running/batcher.ts';
import { ModelLanes, type Wanted } from './running/model-lanes.ts';
import type { ModelDescription } from './running/model-thread.ts';
import { Thread } from './running/thread.ts';
import { cut, type Sequence } from './sequence.ts';
import { explainRun, explainStart } from './start-failure.ts';
import type { TokenizeRequest, TokenizeResult, TokenizerSettings } from './tokenizer-thread.ts';

export interface OnnxOptions {
  /** The model's folder, or an ONNX file. */
  model: string;
  dtype?: string;
  maxModelLen?: number;
  /** Threads for the model. Default: all cores but one; with more, speed collapses as soon as anything else runs. */
  threads?: number;
}

export type Input = TokenizeRequest['inputs'][number];

/** Texts with more characters per token of context are not tokenized, because they can't fit. */
const charactersPerToken = 200;

/** Texts that are only tokenized may be longer than the context, but must not keep the tokenizer from others for long. */
const mostCharacters = 2 ** 20;

/** Texts of different lengths, to test whether the model gives the same results in a batch as alone. */
const trialTexts = [
  'a',
  'Where is it?',
  'The 7 engines of 1921 stand in a round house; 3 of them are green.',
];

/** A model with its tokenizer, in separate threads. Takes texts and returns one row of numbers per text. */
export class Encoder {
  readonly files: ModelFiles;
  readonly recipe: Recipe;
  readonly description: ModelDescription;
  readonly output: string;
  /** Length of a row. */
  readonly size: number;
  readonly #tokenizer: Thread<TokenizeRequest, TokenizeResult>;
  readonly #model: ModelLanes;
  readonly #batcher: Batcher;
  readonly #vocabularySize: number;

  private constructor(parts: EncoderParts, output: string, size: number, vocabularySize: number) {
    this.files = parts.files;
    this.recipe = parts.recipe;
    this.description = parts.description;
    this.output = output;
    this.size = size;
    this.#tokenizer = parts.tokenizer;
    this.#model = parts.model;
    this.#vocabularySize = vocabularySize;
    const wanted = { output, pooling: parts.recipe.pooling };
    this.#batcher = new Batcher({
      run: (sequences, lane) => runModel(parts.model, lane, sequences, wanted),
      lanes: parts.model.count,
      maxTokens: parts.model.batchTokens,
    });
  }

  /** `chooseOutput` returns the name of the model output to read, or rejects the model. */
  static async start(
    options: OnnxOptions,
    chooseOutput: (description: ModelDescription) => string,
  ): Promise<Encoder> {
    const files = readModelFiles(options.model, options.dtype);
    const tokenizer = new Thread<TokenizeRequest, TokenizeResult>(
      new URL('./tokenizer-thread.ts', import.meta.url),
      {
        tokenizer: files.tokenizer as object,
        config: files.configs.tokenizer ?? {},
      } satisfies TokenizerSettings,
    );
    const model = new ModelLanes({
      weights: files.weights,
      weightBytes: files.weightBytes,
      threads: options.threads ?? Math.max(1, availableParallelism() - 1),
      padding: paddingOf(files),
    });
    try {
      const description = await model.describe();
      rejectUnknownInputs(description);
      const output = chooseOutput(description);
      const pooledInside = description.outputs.find(({ name }) => name === output)?.rank === 2;
      const recipe = readRecipe(
        pooledInside ? { ...files.configs, modules: undefined, pooling: undefined } : files.configs,
        {
          name: basename(files.folder),
          maxTokens: options.maxModelLen,
        },
      );
      const parts = { files, recipe, description, tokenizer, model };
      const trial = await readTokenizer(tokenizer, files);
      const wanted = { output, pooling: recipe.pooling };
      const sequences = trial.sequences.map((sequence) => cut(sequence, trial.single, recipe.maxTokens));
      await model.chooseMode(sequences, wanted);
      const [row] = await runModel(model, 0, sequences.slice(0, 1), wanted);
      return new Encoder(parts, output, (row as Float32Array).length, trial.vocabularySize);
    } catch (error) {
      await Promise.all([tokenizer.close(), model.close()]);
      throw explainStart(files.weights, error);
    }
  }

  get facts(): EngineFacts {
    return {
      engine: 'onnx',
      contextLength: this.recipe.maxTokens,
      vocabularySize: this.#vocabularySize,
      architecture: textOf(this.files.configs.model?.model_type),
      weightBytes: this.files.weightBytes,
    };
  }

  get status(): EngineStatus {
    const { running, waiting, parallel } = this.#batcher;
    return { running, waiting, parallel, memoryBytes: this.files.weightBytes * this.#model.count };
  }

  /** Tokenizes inputs. Inputs that are too long are truncated with `truncate`, and rejected without. */
  async tokenize(inputs: Input[], options: { truncate: boolean; param: string }): Promise<Sequence[]> {
    const limit = this.recipe.maxTokens;
    const bounded = inputs.map((input) => this.#bound(input, options));
    const { sequences, single, pair } = await this.#tokenizer.call({ inputs: bounded });
    return sequences.map((sequence, index) => {
      if (sequence.ids.length <= limit) return sequence;
      if (!options.truncate) throw tooLong(options.param, index, limit, `${sequence.ids.length} tokens`);
      return cut(sequence, sequence.types ? pair : single, limit);
    });
  }

  /** Some models come without settings for their tokenizer. */
  get tokenizerInfo(): Record<string, unknown> {
    const { tokenizer = {} } = this.files.configs;
    return {
      tokenizer_class: 'PreTrainedTokenizerFast',
      model_max_length: this.recipe.maxTokens,
      ...tokenizer,
    };
  }

  /** The tokens of one text, however long the model's context is. */
  async encode(text: string, special: boolean): Promise<number[]> {
    if (text.length > mostCharacters) {
      throw new BadRequest(`Text of ${text.length} characters is too long to be tokenized.`, {
        param: 'prompt',
      });
    }
    const { sequences, single } = await this.#tokenizer.call({ inputs: [text] });
    const ids = Array.from(sequences[0]?.ids ?? []);
    return special ? ids : ids.slice(single.before, ids.length - single.after);
  }

  async decode(sequences: readonly (readonly number[])[]): Promise<string[]> {
    return (await this.#tokenizer.call({ inputs: [], decode: sequences })).texts;
  }

  run(sequences: Sequence[], signal: AbortSignal): Promise<Float32Array[]> {
    return this.#batcher.submit(sequences, signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#tokenizer.close(), this.#model.close()]);
  }

  #bound(input: Input, options: { truncate: boolean; param: string }): Input {
    const maxCharacters = this.recipe.maxTokens * charactersPerToken;
    const bounded = (text: string) => {
      if (text.length <= maxCharacters) return text;
      if (!options.truncate)
        throw tooLong(options.param, 0, this.recipe.maxTokens, `${text.length} characters`);
      return text.slice(0, maxCharacters);
    };
    if (typeof input === 'string') return bounded(input);
    if (!Array.isArray(input)) return { first: input.first, second: bounded(input.second) };
    const unknownId = input.find((id) => !Number.isInteger(id) || id < 0 || id >= this.#vocabularySize);
    if (unknownId === undefined) return input;
    throw new BadRequest(
      `Token ${unknownId} is not in this model's vocabulary of ${this.#vocabularySize} tokens.`,
      { param: options.param },
    );
  }
}

interface EncoderParts {
  files: ModelFiles;
  recipe: Recipe;
  description: ModelDescription;
  tokenizer: Thread<TokenizeRequest, TokenizeResult>;
  model: ModelLanes;
}

async function runModel(
  model: ModelLanes,
  lane: number,
  sequences: Sequence[],
  wanted: Wanted,
): Promise<Float32Array[]> {
  try {
    return await model.run(lane, sequences, wanted);
  } catch (error) {
    throw explainRun(error);
  }
}

async function readTokenizer(
  tokenizer: Thread<TokenizeRequest, TokenizeResult>,
  files: ModelFiles,
): Promise<TokenizeResult> {
  try {
    return await tokenizer.call({ inputs: trialTexts });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EngineStartFailed(
      'corrupt-file',
      `The tokenizer.json in ${files.folder} can't be used: ${reason}`,
      {
        cause: error,
      },
    );
  }
}

function rejectUnknownInputs(description: ModelDescription): void {
  const known = ['input_ids', 'attention_mask', 'token_type_ids', 'position_ids'];
  const other = description.inputs.find((name) => !known.includes(name));
  if (other === undefined) return;
  throw new EngineStartFailed(
    'unsupported',
    `The model requires the input '${other}', which the onnx engine does not support.`,
  );
}

/** RoBERTa computes positions from the padding id, so it must be correct. */
function paddingOf(files: ModelFiles): number {
  const declared = files.configs.model?.pad_token_id;
  const padding = (files.tokenizer as { padding?: { pad_id?: unknown } | null }).padding?.pad_id;
  return [declared, padding].find((id): id is number => typeof id === 'number') ?? 0;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function tooLong(param: string, index: number, limit: number, amount: string): BadRequest {
  return new BadRequest(
    `This model's maximum context length is ${limit} tokens, but input ${index} has ${amount}. Please shorten it, or set truncate_prompt_tokens.`,
    { code: 'context_length_exceeded', param },
  );
}

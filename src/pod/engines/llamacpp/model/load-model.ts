import { type GgufFileInfo, getLlama, type Llama, LlamaLogLevel, type LlamaModel } from 'node-llama-cpp';
import { EngineStartFailed } from '../../../engine.ts';
import { GrammarCompiler } from '../grammar/compile-grammar.ts';
import { readTokenBytes, type TokenBytes } from '../output/token-bytes.ts';
import { LoopShare } from '../preparation/loop-share.ts';
import { Preparer } from '../preparation/preparer.ts';
import { compileTemplate, type SpecialTokens } from '../prompt/chat-template.ts';
import type { Vocabulary } from '../prompt/tokenize-text.ts';
import { checkWeightMemory } from './memory.ts';
import { defaultContextLimit, defaultThreads, type LlamaCppOptions } from './options.ts';
import { checkModelFile, startFailure } from './start-failure.ts';

/** A loaded model with its vocabulary and chat template. */
export interface LoadedModel {
  llama: Llama;
  model: LlamaModel;
  path: string;
  preparer: Preparer;
  loopShare: LoopShare;
  vocabulary: Vocabulary;
  tokenBytes: TokenBytes;
  /** As transformers would have it in `tokenizer_config.json`. */
  tokenizerInfo: Record<string, unknown>;
  grammars: GrammarCompiler;
  contextLength: number;
  /** The tokens with which the model ends an answer. */
  endTokens(): readonly number[];
  dispose(): Promise<void>;
}

export async function loadModel(options: LlamaCppOptions): Promise<LoadedModel> {
  const { modelPath } = options;
  const { size } = await checkModelFile(modelPath);
  const nativeErrors: string[] = [];
  let llama = options.llama;
  try {
    llama ??= await loadLibrary(options, nativeErrors);
    if (llama.gpu === false) checkWeightMemory(size, (options.availableMemory ?? process.availableMemory)());
    const model = await llama.loadModel({
      modelPath,
      gpuLayers: options.gpuLayers ?? 'auto',
      ...(options.onProgress ? { onLoadProgress: options.onProgress } : {}),
    });
    try {
      return describeModel(llama, model, options);
    } catch (error) {
      await model.dispose();
      throw error;
    }
  } catch (error) {
    // Not awaited: dispose waits for the model that failed to load, and may never settle.
    if (llama !== options.llama) llama?.dispose().catch(() => undefined);
    throw await startFailure(modelPath, error, nativeErrors.join('; '));
  }
}

function loadLibrary(options: LlamaCppOptions, errors: string[]): Promise<Llama> {
  const { gpuMemoryUtilization: share } = options;
  return getLlama({
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    gpu: options.gpu === false ? false : 'auto',
    ...(share === undefined ? {} : { vramPadding: (total: number) => total * (1 - share) }),
    maxThreads: options.threads ?? defaultThreads(),
    logLevel: LlamaLogLevel.error,
    logger: (_level, message) => {
      if (errors.length < 20) errors.push(message.trim());
    },
  });
}

function describeModel(llama: Llama, model: LlamaModel, options: LlamaCppOptions): LoadedModel {
  const tokenBytes = readTokenBytes(model);
  const own = model.trainContextSize;
  if (options.contextLength !== undefined && options.contextLength > own)
    throw new EngineStartFailed(
      'unsupported',
      `The model supports at most ${own} tokens; a context of ${options.contextLength} is too large.`,
    );
  const vocabulary = readVocabulary(model, tokenBytes);
  let ends: readonly number[] | undefined;
  const contextLength = options.contextLength ?? Math.min(own, defaultContextLimit);
  const { controlTexts, longestToken } = vocabulary;
  const facts = { controlTexts, longestToken, contextLength };
  const template = model.fileInfo.metadata.tokenizer.chat_template;
  const special = specialTokens(model.fileInfo);
  const preparer = new Preparer(
    { template: compileTemplate(template, special), ...facts },
    { template, special, ...facts },
  );
  return {
    llama,
    model,
    path: options.modelPath,
    preparer,
    loopShare: new LoopShare(),
    vocabulary,
    tokenBytes,
    tokenizerInfo: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      ...special,
      add_bos_token: vocabulary.beginning !== undefined,
      model_max_length: own,
      ...(template === undefined ? {} : { chat_template: template }),
    },
    grammars: new GrammarCompiler(llama, model),
    contextLength,
    endTokens: () => {
      ends ??= Array.from({ length: tokenBytes.size }, (_, token) => token).filter((token) =>
        model.isEogToken(token as never),
      );
      return ends;
    },
    async dispose() {
      await preparer.close();
      await model.dispose();
      if (llama !== options.llama) await llama.dispose();
    },
  };
}

function readVocabulary(model: LlamaModel, tokenBytes: TokenBytes): Vocabulary {
  const { tokens, model: kind } = model.fileInfo.metadata.tokenizer.ggml;
  return {
    tokenize: (text, special) => (text === '' ? [] : model.tokenize(text, special)) as number[],
    controlTexts: tokens.filter((_, token) => tokenBytes.isControl(token)),
    beginning: model.tokens.shouldPrependBosToken ? (model.tokens.bos ?? undefined) : undefined,
    splitsWords: kind === 'gpt2',
    longestToken: tokens.reduce((longest, text) => Math.max(longest, text.length), 1),
  };
}

/** The special tokens, under the names that transformers uses in templates. */
function specialTokens({ metadata }: GgufFileInfo): SpecialTokens {
  const { ggml } = metadata.tokenizer;
  const named: [keyof SpecialTokens, number | undefined][] = [
    ['bos_token', ggml.bos_token_id],
    ['eos_token', ggml.eos_token_id],
    ['unk_token', ggml.unknown_token_id],
    ['pad_token', ggml.padding_token_id],
  ];
  const special: SpecialTokens = {};
  for (const [name, id] of named) {
    const text = id === undefined ? undefined : ggml.tokens[id];
    if (text !== undefined) special[name] = text;
  }
  return special;
}

import { describe, expect, test } from 'vitest';
import type { ModelConfigs } from './model-files.ts';
import { readRecipe } from './recipe.ts';
import { explainRun, explainStart } from './start-failure.ts';

const recipe = (configs: ModelConfigs, more: { name?: string; maxTokens?: number } = {}) =>
  readRecipe(configs, { name: 'model', ...more });

describe('a model’s recipe', () => {
  test.each<[string, ModelConfigs, string]>([
    ['nothing', {}, 'mean'],
    ['the name of a BGE model', { model: { _name_or_path: 'BAAI/bge-m3' } }, 'cls'],
    [
      'its own files, whatever the name',
      { model: { _name_or_path: 'BAAI/bge-m3' }, pooling: { pooling_mode_mean_tokens: true } },
      'mean',
    ],
    ['a BGE reranker’s name', { model: { _name_or_path: 'BAAI/bge-reranker-base' } }, 'mean'],
  ])('pools as %s says', (_, configs, pooling) => {
    expect(recipe(configs).pooling).toBe(pooling);
  });

  test.each<[string, ModelConfigs, number]>([
    ['nothing', {}, 512],
    [
      'sentence-transformers',
      { sentenceBert: { max_seq_length: 256 }, tokenizer: { model_max_length: 512 } },
      256,
    ],
    ['the tokenizer’s settings', { tokenizer: { model_max_length: 384 } }, 384],
    ['the positions', { model: { max_position_embeddings: 1024 } }, 1024],
    [
      'RoBERTa’s positions, two of which no token has',
      {
        model: { model_type: 'xlm-roberta', max_position_embeddings: 514 },
        tokenizer: { model_max_length: 1e30 },
      },
      512,
    ],
    [
      'the positions, where the others promise more',
      { model: { max_position_embeddings: 512 }, sentenceBert: { max_seq_length: 8192 } },
      512,
    ],
  ])('takes its length from %s', (_, configs, expected) => {
    expect(recipe(configs).maxTokens).toBe(expected);
  });

  test('lets the operator go as far as the positions, beyond the usual length', () => {
    const configs = { sentenceBert: { max_seq_length: 128 }, model: { max_position_embeddings: 512 } };
    expect(recipe(configs, { maxTokens: 512 }).maxTokens).toBe(512);
    expect(() => recipe(configs, { maxTokens: 513 })).toThrow(/exceeds the 512 tokens/);
  });

  test('knows both spellings of pooling, and refuses two at once', () => {
    expect(recipe({ pooling: { pooling_mode: 'cls' } }).pooling).toBe('cls');
    expect(
      recipe({ pooling: { pooling_mode_lasttoken: true, pooling_mode_mean_tokens: false } }).pooling,
    ).toBe('last');
    const both = { pooling_mode_cls_token: true, pooling_mode_mean_tokens: true };
    expect(() => recipe({ pooling: both })).toThrow('uses the pooling cls_token and mean_tokens');
    expect(() => recipe({ pooling: { pooling_mode: 'mean', include_prompt: false } })).toThrow(
      'include_prompt',
    );
  });

  test('takes prompts from the files first, then from the family’s card', () => {
    const prompts = { query: 'q: ', passage: 'p: ', other: 'o: ' };
    expect(recipe({ sentenceTransformers: { prompts, default_prompt_name: 'other' } }).prefixes).toEqual({
      query: 'q: ',
      document: 'p: ',
      default: 'o: ',
    });
    const e5 = { query: 'query: ', document: 'passage: ', default: '' };
    expect(recipe({}, { name: 'multilingual-e5-large' }).prefixes).toEqual(e5);
    expect(recipe({}, { name: 'multilingual-e5-large-instruct' }).prefixes.query).toBe('');
    expect(recipe({ sentenceTransformers: { prompts } }, { name: 'e5-base' }).prefixes.query).toBe('q: ');
  });
});

describe('what the runtime says', () => {
  test.each([
    ['Exception during initialization: std::bad_alloc', 'out-of-memory', /does not fit into the memory/],
    ['Failed to allocate memory for requested buffer of size 4711', 'out-of-memory', /does not fit/],
    [
      'Load model from x failed:Protobuf parsing failed.',
      'corrupt-file',
      /damaged or incompletely downloaded/,
    ],
    [
      'x failed: open file "model.onnx_data" failed: No such file',
      'missing-file',
      /refers to a missing file/,
    ],
    ['ONNX Runtime only guarantees support for opset 23', 'unsupported', /needs a feature/],
    ['Something new\nwith a trace', 'failed', /can't be started: Something new$/],
  ])('%s', (text, failure, message) => {
    const error = explainStart('model.onnx', new Error(text));
    expect(error.failure).toBe(failure);
    expect(error.message).toMatch(message);
  });

  test('running out of memory is reported to the caller', () => {
    expect(explainRun(new Error('Failed to allocate memory'))).toMatchObject({ status: 507 });
    const other = new Error('Non-zero status code');
    expect(explainRun(other)).toBe(other);
  });
});

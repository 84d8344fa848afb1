import { expect, it } from 'vitest';
import { suggestModels } from './suggest-models.ts';

const catalog = ['smollm2-135m-instruct', 'qwen3-0.6b', 'qwen2.5-1.5b-instruct'].map((id) => ({ id }));

it('suggests what contains the name, else what is close to it, else nothing', () => {
  expect(suggestModels(catalog, 'Qwen')).toEqual(['qwen3-0.6b', 'qwen2.5-1.5b-instruct']);
  expect(suggestModels(catalog, 'smolm2-135-instruct')).toEqual(['smollm2-135m-instruct']);
  expect(suggestModels(catalog, 'constructor')).toEqual([]);
});

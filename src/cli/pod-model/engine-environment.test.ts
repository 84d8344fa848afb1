import { expect, test } from 'vitest';
import { engineEnvironment } from './engine-environment.ts';

test("an engine gets the environment without the platform's keys", () => {
  const kept = { PATH: '/usr/bin', HF_TOKEN: 'hf', CUDA_VISIBLE_DEVICES: '0', ROUNDHOUSE_DATA_DIR: '/data' };
  const keys = {
    ROUNDHOUSE_ADMIN_TOKEN: 'a',
    ROUNDHOUSE_API_KEY: 'b',
    ROUNDHOUSE_POD_KEY: 'c',
    ROUNDHOUSE_POD_SECRET: 'd',
  };
  expect(engineEnvironment({ ...kept, ...keys })).toEqual(kept);
});

import { describe, expect, it } from 'vitest';
import { replaceModel } from './replace-model.ts';

describe('renaming the model', () => {
  it.each([
    ['{"model":"a","messages":[]}', '{"model":"b","messages":[]}'],
    ['{"messages":[{"model":"x"}],"model" : "a"}', '{"messages":[{"model":"x"}],"model" : "b"}'],
    ['{"note":"\\"model\\":\\"a\\"","model":"a\\"q"}', '{"note":"\\"model\\":\\"a\\"","model":"b"}'],
    ['{"x":"model","y":"z","model":"a"}', '{"x":"model","y":"z","model":"b"}'],
    ['{"model":"a","k":{"model":"in"},"é":"ü"}', '{"model":"b","k":{"model":"in"},"é":"ü"}'],
    ['{"model":"a","model":"c"}', '{"model":"a","model":"b"}'],
  ])('%s', (before, after) => {
    expect(replaceModel(Buffer.from(before), 'b').toString()).toBe(after);
  });
});

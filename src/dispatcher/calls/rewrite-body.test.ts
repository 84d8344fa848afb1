import { describe, expect, it } from 'vitest';
import { withDefaults, withModel } from './rewrite-body.ts';

const parsed = { model: 'm', stream: false, hasStream: false, hasTemperature: false };

describe('filling in defaults', () => {
  it('adds what is absent and leaves the rest byte for byte', () => {
    const body = Buffer.from(' {"model":"m", "x":1e3 }');
    expect(withDefaults(body, parsed).toString()).toBe(
      ' {"temperature":0.0,"stream":false,"model":"m", "x":1e3 }',
    );
    expect(withDefaults(body, { ...parsed, hasStream: true }).toString()).toContain(
      '{"temperature":0.0,"model"',
    );
    expect(withDefaults(body, { ...parsed, hasStream: true, hasTemperature: true })).toBe(body);
  });
});

describe('renaming the model', () => {
  it.each([
    ['{"model":"a","messages":[]}', '{"model":"b","messages":[]}'],
    ['{"messages":[{"model":"x"}],"model" : "a"}', '{"messages":[{"model":"x"}],"model" : "b"}'],
    ['{"note":"\\"model\\":\\"a\\"","model":"a\\"q"}', '{"note":"\\"model\\":\\"a\\"","model":"b"}'],
    ['{"x":"model","y":"z","model":"a"}', '{"x":"model","y":"z","model":"b"}'],
    ['{"model":"a","k":{"model":"in"},"é":"ü"}', '{"model":"b","k":{"model":"in"},"é":"ü"}'],
    ['{"model":"a","model":"c"}', '{"model":"a","model":"b"}'],
  ])('%s', (before, after) => {
    expect(withModel(Buffer.from(before), 'b').toString()).toBe(after);
  });
});

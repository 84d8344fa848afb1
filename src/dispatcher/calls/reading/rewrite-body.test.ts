import { describe, expect, it } from 'vitest';
import { withDefaults } from './rewrite-body.ts';

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

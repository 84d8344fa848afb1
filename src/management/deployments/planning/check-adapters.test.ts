import { describe, expect, test } from 'vitest';
import { adapterProblem } from './check-adapters.ts';
import type { DeployableModel } from './deployable-models.ts';

const base: DeployableModel = {
  model_id: 'base:Q8_0',
  task: 'llm',
  engines: ['llamacpp'],
  reason: null,
  quantization: null,
  memory_bytes: 2e9,
  names: ['base:Q8_0', 'org/base'],
  adapter: null,
};
const adapter = (facts: Partial<NonNullable<DeployableModel['adapter']>> = {}): DeployableModel => ({
  ...base,
  model_id: 'law',
  names: [],
  adapter: {
    base_model_id: 'org/base',
    rank: 16,
    target_modules: ['q_proj'],
    obstacle: null,
    improvement: null,
    ...facts,
  },
});

describe('an adapter', () => {
  test('fits its base by any of its names', () => {
    expect(adapterProblem(base, adapter(), 'llamacpp')).toBeUndefined();
    expect(adapterProblem(base, adapter({ base_model_id: 'base:Q8_0' }), 'llamacpp')).toBeUndefined();
    expect(adapterProblem(base, adapter({ rank: null, target_modules: null }), 'vllm')).toBeUndefined();
  });
  test('is refused with a reason if it is for another base, empty, or too large for the engine', () => {
    expect(adapterProblem(base, adapter({ base_model_id: 'org/other' }), 'llamacpp')).toBe(
      "'law' was made for 'org/other', not for 'base:Q8_0'",
    );
    expect(adapterProblem(base, base, 'llamacpp')).toContain('not an adapter');
    expect(adapterProblem(base, adapter({ target_modules: [] }), 'llamacpp')).toContain('changes no module');
    expect(adapterProblem(base, adapter({ rank: 512 }), 'vllm')).toContain('rank 512');
    expect(adapterProblem(base, adapter({ rank: 512 }), 'llamacpp')).toBeUndefined();
    expect(adapterProblem(base, adapter({ obstacle: 'it uses DoRA' }), 'llamacpp')).toContain('it uses DoRA');
    expect(adapterProblem(base, adapter({ obstacle: 'it uses DoRA' }), 'vllm')).toBeUndefined();
  });
});

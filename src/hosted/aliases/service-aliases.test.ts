import { describe, expect, it } from 'vitest';
import { type ServiceSlot, serviceAliases } from './service-aliases.ts';

const slots = (served: Partial<Record<ServiceSlot, string[]>>) => ({
  names: (slot: ServiceSlot) => served[slot] ?? [],
});

describe('serviceAliases', () => {
  it('maps the built-in names to what the slots serve', () => {
    const served = slots({ chat: ['qwen', 'adapter'], embeddings: ['e5'], rerank: ['bge'] });
    expect(Object.fromEntries(serviceAliases(served, {}))).toEqual({
      'Service-LLM': 'qwen',
      'Service-Embedding': 'e5',
      'Service-ReRank': 'bge',
    });
  });

  it('ranks with the embeddings model where no rerank model is deployed', () => {
    expect(serviceAliases(slots({ embeddings: ['e5'] }), {}).get('Service-ReRank')).toBe('e5');
  });

  it('leaves out names of empty slots, and prefers what is configured', () => {
    expect([...serviceAliases(slots({}), {}).keys()]).toEqual([]);
    const aliases = serviceAliases(slots({ chat: ['qwen'] }), {
      'Service-LLM': 'llama',
      constructor: 'qwen',
    });
    expect(aliases.get('Service-LLM')).toBe('llama');
    expect(aliases.get('constructor')).toBe('qwen');
    expect(aliases.get('toString')).toBeUndefined();
  });
});

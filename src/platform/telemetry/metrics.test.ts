import { Counter } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

describe('createMetrics', () => {
  it('exposes the process and the version', async () => {
    const metrics = createMetrics({ version: '9.9.9' });
    const text = await metrics.text();
    expect(metrics.contentType).toContain('text/plain');
    expect(text).toContain('roundhouse_build_info{version="9.9.9"} 1');
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
  });

  it('counts each app by itself', async () => {
    const [first, second] = [createMetrics({ version: '1' }), createMetrics({ version: '1' })];
    const options = { name: 'calls_total', help: 'Calls.' };
    new Counter({ ...options, registers: [first.registry] }).inc();
    new Counter({ ...options, registers: [second.registry] });
    expect(await first.text()).toContain('calls_total 1');
    expect(await second.text()).toContain('calls_total 0');
  });
});

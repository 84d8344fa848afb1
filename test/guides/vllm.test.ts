import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type HubServer, startHub } from '../testkit/models/hub-server.ts';
import { type VllmForTests, vllmForTests } from '../testkit/pods/vllm.ts';
import { requirement } from '../testkit/requirement.ts';
import { freePort, Reader } from './reader.ts';

let vllm: VllmForTests;
const available = await requirement('vLLM', async () => {
  vllm = await vllmForTests();
});

/** vLLM's build for CPUs stands in for a GPU, a local hub for the public one, and a tiny model for a large one. */
describe.skipIf(!available.available)('docs/guides/gpu.md', () => {
  let reader: Reader;
  let hub: HubServer;
  afterAll(async () => {
    await reader?.close();
    await hub?.stop();
  });

  test('serves a model with vLLM', { timeout: 600_000 }, async () => {
    hub = await startHub();
    hub.repositories.set('Qwen/Qwen2.5-7B-Instruct', {
      files: Object.fromEntries(
        readdirSync(vllm.model).map((name) => [name, readFileSync(join(vllm.model, name))]),
      ),
      pipelineTag: 'text-generation',
    });
    const port = await freePort();
    reader = new Reader({
      environment: {
        PATH: vllm.environment.PATH,
        VLLM_CPU_KVCACHE_SPACE: vllm.environment.VLLM_CPU_KVCACHE_SPACE,
        VLLM_PLUGINS: '',
        // What vLLM has found out about models in other tests takes it half a minute to find out again.
        VLLM_CACHE_ROOT: join(homedir(), '.cache/vllm'),
        HF_ENDPOINT: hub.endpoint,
        ROUNDHOUSE_PORT: port,
        ROUNDHOUSE_STARTER: 'false',
      },
    });
    await reader.follow('gpu.md', [
      ['5500', port],
      ['--max-model-len 8192', '--max-model-len 256'],
      // Compiling the model takes longer than everything else here.
      ['--yes --wait', '--yes --wait -- --enforce-eager'],
    ]);
    expect(reader.printed).toMatch(/^chat +Qwen\/Qwen2\.5-7B-Instruct +1 of 1 +ready$/m);
    expect(reader.printed).toMatch(/"usage": ?\{/);
  });
});

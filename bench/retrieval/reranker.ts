import '../no-telemetry.ts';
import { ModelStore } from '../../src/models/catalog/model-store.ts';
import type { Inference } from '../../src/platform/inference/inference.ts';
import { startOnnxRerank } from '../../src/pod/engines/onnx/rerank-engine.ts';
import { dataFolderWith } from '../../test/testkit/models/catalog-model.ts';

const model = 'bert-mini-reranker';

/** The cross-encoder of the catalog that package registries carry, in the platform's own engine. English only. */
export async function openReranker(): Promise<{ rerank: Inference['rerank']; close(): Promise<void> }> {
  const folder = new ModelStore(await dataFolderWith(model)).folderOf(model);
  const engine = await startOnnxRerank({ model: folder, threads: 1 });
  return {
    async rerank({ query, documents }, { signal }) {
      const { scores } = await engine.score(query, [...documents], signal);
      const results = scores.map((score, index) => ({ index, score })).sort((a, b) => b.score - a.score);
      return { results, usage: undefined };
    },
    close: () => engine.close(),
  };
}

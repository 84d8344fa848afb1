import '../no-telemetry.ts';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ModelStore } from '../../src/models/catalog/model-store.ts';
import type { EmbeddingEngine } from '../../src/pod/engine.ts';
import { startOnnxEmbeddings } from '../../src/pod/engines/onnx/embedding-engine.ts';
import { cacheFolder } from '../../test/testkit/machine/cache-folder.ts';
import { dataFolderWith } from '../../test/testkit/models/catalog-model.ts';

export interface CachedEncoder {
  model: string;
  embed(texts: readonly string[], purpose: 'query' | 'document'): Promise<Float32Array[]>;
  close(): Promise<void>;
}

const batch = 16;

/** An embeddings model of the catalog in the platform's own engine. Vectors are kept between runs. */
export async function openEncoder(model: string): Promise<CachedEncoder> {
  const folder = cacheFolder('retrieval');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${model}.json`);
  const known = new Map<string, string>(existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []);
  let saved = known.size;
  const save = () => {
    if (known.size > saved) writeFileSync(path, JSON.stringify([...known]));
    saved = known.size;
  };
  let engine: EmbeddingEngine | undefined;

  async function add(keys: string[], texts: string[], purpose: 'query' | 'document') {
    engine ??= await startOnnxEmbeddings({
      model: new ModelStore(await dataFolderWith(model)).folderOf(model),
      threads: 1,
    });
    const options = { purpose, truncate: true };
    const { vectors } = await engine.embed(texts, options, AbortSignal.timeout(600_000));
    for (const [at, vector] of vectors.entries()) {
      known.set(
        keys[at] as string,
        Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64'),
      );
    }
  }

  return {
    model,
    async embed(texts, purpose) {
      const keyed = texts.map((text) => ({
        text,
        key: createHash('sha256').update(`${purpose}\n${text}`).digest('base64').slice(0, 24),
      }));
      // Texts of similar length together, as the longest of a batch decides its time.
      const missing = [
        ...new Map(keyed.filter(({ key }) => !known.has(key)).map((entry) => [entry.key, entry])).values(),
      ];
      missing.sort((a, b) => a.text.length - b.text.length);
      for (let at = 0; at < missing.length; at += batch) {
        if (at % (10 * batch) === 0) save();
        const some = missing.slice(at, at + batch);
        await add(
          some.map(({ key }) => key),
          some.map(({ text }) => text),
          purpose,
        );
      }
      return keyed.map(({ key }) => {
        const bytes = Buffer.from(known.get(key) as string, 'base64');
        return new Float32Array(Uint8Array.from(bytes).buffer);
      });
    },
    async close() {
      await engine?.close();
      save();
    },
  };
}

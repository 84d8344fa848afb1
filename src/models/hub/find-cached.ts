import { existsSync, globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { HubCache } from './hub-cache.ts';
import { parseModelId } from './model-reference.ts';

/** Where the hub's own tools keep their cache by default. */
export function hubHome(
  configured: string | undefined,
  environment: Record<string, string | undefined>,
): string {
  return configured ?? join(environment.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'huggingface');
}

export interface CachedModel {
  folder: string;
  quantization: string | null;
  engine: 'llamacpp' | 'onnx' | 'vllm';
  task: 'llm' | 'embeddings' | 'rerank';
}

/** A model in the hub's cache, which another tool may have fetched; undefined where it is not there. */
export function findCachedModel(home: string, id: string): CachedModel | undefined {
  if (!/^[\w.-]+\/[\w.-]+/.test(id)) return undefined;
  const { repository, revision, quantization } = parseModelId(id);
  const cache = new HubCache(join(home, 'hub'));
  const reference = join(cache.repositoryFolder(repository), 'refs', revision);
  const commit = existsSync(reference) ? readFileSync(reference, 'utf8').trim() : revision;
  const folder = cache.snapshot(repository, commit);
  if (!existsSync(folder)) return undefined;
  if (globSync('*.gguf', { cwd: folder }).length > 0) {
    return { folder, quantization, engine: 'llamacpp', task: 'llm' };
  }
  if (globSync('{*.onnx,onnx/*.onnx}', { cwd: folder }).length > 0) {
    return { folder, quantization, engine: 'onnx', task: scoresPairs(folder) ? 'rerank' : 'embeddings' };
  }
  return { folder, quantization, engine: 'vllm', task: 'llm' };
}

function scoresPairs(folder: string): boolean {
  const config = join(folder, 'config.json');
  return existsSync(config) && /ForSequenceClassification"/.test(readFileSync(config, 'utf8'));
}

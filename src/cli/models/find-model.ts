import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { processEnvironment } from '../../platform/config/environment.ts';
import { StartupError } from '../../platform/startup-error.ts';
import type { Config } from '../../settings.ts';

interface ModelFlags {
  model: string;
  engine?: string;
  task?: string;
  servedModelName?: string;
}

interface FoundModel {
  engine: string;
  task: string;
  /** A folder, a file, a URL, or an id that the engine resolves itself. */
  model: string;
  model_name: string;
  served_model_name: string;
  /** Set if the model's id selects one of several quantisations. */
  quantization?: string;
}

/** Resolves `--model` to what to load, with which engine, and under which name. */
export async function findModel(
  flags: ModelFlags,
  config: Pick<Config, 'data_dir' | 'hub'>,
): Promise<FoundModel> {
  if (flags.engine === 'openai') return asGiven(flags, flags.model, serverName(flags.model));
  if (existsSync(flags.model)) {
    return asGiven(flags, resolve(flags.model), basename(flags.model).replace(/\.(gguf|onnx)$/i, ''));
  }
  const { ModelStore } = await import('../../models/catalog/model-store.ts');
  const store = new ModelStore(config.data_dir);
  const stored = store.find(flags.model);
  if (stored) {
    await store.verify(stored);
    return {
      engine: flags.engine ?? stored.engine,
      task: flags.task ?? stored.task,
      model: stored.folder,
      model_name: stored.id,
      served_model_name: flags.servedModelName ?? stored.id,
    };
  }
  const { findCachedModel, hubHome } = await import('../../models/hub/find-cached.ts');
  const cached = findCachedModel(hubHome(config.hub.home, processEnvironment()), flags.model);
  if (cached) {
    return {
      engine: flags.engine ?? cached.engine,
      task: flags.task ?? cached.task,
      model: cached.folder,
      model_name: flags.model,
      served_model_name: flags.servedModelName ?? flags.model,
      ...(cached.quantization ? { quantization: cached.quantization } : {}),
    };
  }
  // vLLM downloads models from the hub itself.
  if (flags.engine === 'vllm') return asGiven(flags, flags.model, flags.model);
  throw new StartupError(
    `no file, folder or downloaded model '${flags.model}' found; ` +
      `list starter models with 'roundhouse models catalog' and download one with 'roundhouse models pull <id>'`,
  );
}

function asGiven(flags: ModelFlags, model: string, name: string): FoundModel {
  const engine = flags.engine ?? (/\.onnx$/i.test(model) ? 'onnx' : 'llamacpp');
  return {
    engine,
    task: flags.task ?? (engine === 'onnx' ? 'embeddings' : 'llm'),
    model,
    model_name: flags.model,
    served_model_name: flags.servedModelName ?? name,
  };
}

/** `http://server:8000/v1#model` → `model`; without a fragment, the server's host. */
function serverName(address: string): string {
  const url = URL.parse(address);
  return url?.hash.slice(1) || url?.host || address;
}

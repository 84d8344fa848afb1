import { existsSync, globSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { processEnvironment } from '../../platform/config/environment.ts';
import { StartupError } from '../../platform/startup-error.ts';
import type { Config } from '../../settings.ts';
import type { PlatformToJoin } from '../joining/platform-client.ts';
import { type FoundModel, foundIn, foundStored, type ModelFlags } from './found-model.ts';

interface Platforms {
  /** The one that runs on this machine's data folder, if it is known. */
  own?: PlatformToJoin | undefined;
  /** The one that the pod joins; models that are not here are fetched. */
  joined?: PlatformToJoin | undefined;
}

/** Resolves `--model` to what to load, with which engine, and under which name. */
export async function findModel(
  flags: ModelFlags,
  config: Pick<Config, 'data_dir' | 'database' | 'hub' | 'packages'>,
  { own, joined }: Platforms = {},
): Promise<FoundModel> {
  if (flags.engine === 'openai') return asGiven(flags, flags.model, serverName(flags.model));
  if (existsSync(flags.model)) {
    return asGiven(flags, resolve(flags.model), basename(flags.model).replace(/\.(gguf|onnx)$/i, ''));
  }
  const here = (await findStored(flags, config)) ?? (await findCached(flags, config));
  if (here) return here;
  const { machineHere } = await import('./machine-here.ts');
  const { findInOwnLibrary } = await import('./own-library.ts');
  const model = await findInOwnLibrary(config, own, flags.model);
  if (model) {
    const { fitEngine } = await import('./fit-engine.ts');
    const wishes = { ...flags, adapters: flags.adapter?.length ?? 0 };
    return foundIn(model, flags, fitEngine(model, await machineHere(), wishes));
  }
  if (joined) {
    const { fetchForJoin } = await import('./fetch-model.ts');
    return fetchForJoin(config, joined, flags, await machineHere());
  }
  // vLLM downloads models from the hub itself.
  if (flags.engine === 'vllm') return asGiven(flags, flags.model, flags.model);
  throw new StartupError(
    `no file, folder or downloaded model '${flags.model}' found; ` +
      `list starter models with 'roundhouse models catalog' and download one with 'roundhouse models pull <id>'` +
      (own && own.key === undefined
        ? `; to use the library of the platform at ${own.url}, pass a key with --key`
        : ''),
  );
}

async function findStored(
  flags: ModelFlags,
  config: Pick<Config, 'data_dir'>,
): Promise<FoundModel | undefined> {
  const { ModelStore } = await import('../../models/catalog/model-store.ts');
  const store = new ModelStore(config.data_dir);
  const stored = store.find(flags.model);
  if (!stored) return undefined;
  await store.verify(stored);
  return foundStored(stored, flags);
}

async function findCached(flags: ModelFlags, config: Pick<Config, 'hub'>): Promise<FoundModel | undefined> {
  const { findCachedModel, hubHome } = await import('../../models/hub/find-cached.ts');
  const cached = findCachedModel(hubHome(config.hub.home, processEnvironment()), flags.model);
  if (!cached) return undefined;
  return {
    engine: flags.engine ?? cached.engine,
    task: flags.task ?? cached.task,
    model: cached.folder,
    model_name: flags.model,
    served_model_name: flags.servedModelName ?? flags.model,
    ...(cached.quantization ? { quantization: cached.quantization } : {}),
  };
}

function asGiven(flags: ModelFlags, model: string, name: string): FoundModel {
  const engine = flags.engine ?? engineOf(model);
  return {
    engine,
    task: flags.task ?? (engine === 'onnx' ? 'embeddings' : 'llm'),
    model,
    model_name: flags.model,
    served_model_name: flags.servedModelName ?? name,
  };
}

/** By the files: only vLLM loads safetensors, and a folder with an ONNX model has it at one of two places. */
function engineOf(model: string): string {
  if (/\.onnx$/i.test(model)) return 'onnx';
  const has = (pattern: string) => globSync(pattern, { cwd: model }).length > 0;
  if (/\.gguf$/i.test(model) || has('*.gguf')) return 'llamacpp';
  if (has('{*.onnx,onnx/*.onnx}')) return 'onnx';
  return has('*.safetensors') ? 'vllm' : 'llamacpp';
}

/** `http://server:8000/v1#model` → `model`; without a fragment, the server's host. */
function serverName(address: string): string {
  const url = URL.parse(address);
  return url?.hash.slice(1) || url?.host || address;
}

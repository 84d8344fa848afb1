import { join } from 'node:path';
import { readCatalog } from '../../models/catalog/catalog.ts';
import { ModelStore } from '../../models/catalog/model-store.ts';
import { pullModel } from '../../models/catalog/pull-model.ts';
import { enginesFor } from '../../models/facts/engines-for.ts';
import { readFacts, taskOfTag } from '../../models/facts/read-facts.ts';
import { chooseFiles } from '../../models/hub/choose-files.ts';
import { fetchModel } from '../../models/hub/fetch-model.ts';
import { hubHome } from '../../models/hub/find-cached.ts';
import { HubCache } from '../../models/hub/hub-cache.ts';
import { createHubClient } from '../../models/hub/hub-client.ts';
import { parseModelId } from '../../models/hub/model-reference.ts';
import { findOrigins, isProxied } from '../../models/packages/package-origins.ts';
import { fetchLibraryModel, filesFor } from '../../models/remote/fetch-library-model.ts';
import { processEnvironment } from '../../platform/config/environment.ts';
import { StartupError } from '../../platform/startup-error.ts';
import type { Config } from '../../settings.ts';
import { askFiles, headersOf, type PlatformToJoin } from '../joining/platform-client.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { fitEngine, type Machine } from './fit-engine.ts';
import { type FoundModel, foundIn, foundStored, type ModelFlags } from './found-model.ts';

type FetchConfig = Pick<Config, 'data_dir' | 'hub' | 'packages'>;

/** Brings a model to a machine that joins a platform: from the platform's library, the catalog or the hub. */
export async function fetchForJoin(
  config: FetchConfig,
  platform: PlatformToJoin,
  flags: ModelFlags,
  machine: Machine,
): Promise<FoundModel> {
  const line = new ProgressLine(process.stderr);
  const progress: Progress = {
    signal: new AbortController().signal,
    show: (text, done, total) => line.show(text, done, total),
    onWait: (reason) => line.note(reason),
  };
  try {
    const found =
      (await fromLibrary(config, platform, flags, machine, progress)) ??
      (await fromCatalog(config, flags, progress)) ??
      (await fromHub(config, flags, machine, progress));
    if (found) return found;
  } finally {
    line.done();
  }
  throw new StartupError(
    `'${flags.model}' is neither a file or model on this machine, nor in the library of ${platform.url}, nor in the catalog, nor a model id of the hub (org/name)`,
  );
}

interface Progress {
  signal: AbortSignal;
  show(text: string, done: number, total: number | undefined): void;
  onWait(reason: string): void;
}

async function fromLibrary(
  { data_dir }: FetchConfig,
  platform: PlatformToJoin,
  flags: ModelFlags,
  machine: Machine,
  { signal, show, onWait }: Progress,
): Promise<FoundModel | undefined> {
  const listed = await askFiles(platform, flags.model);
  if (!listed) return undefined;
  const fitted = fitEngine(listed, machine, wishesOf(flags));
  const library = {
    url: platform.url,
    headers: headersOf(platform),
    proxied: isProxied(processEnvironment()),
  };
  const folder = await fetchLibraryModel(library, listed.model_id, filesFor(listed, fitted.form), {
    folder: join(data_dir, 'fetched'),
    signal,
    onWait,
    onProgress: (file, done, total) => show(`${file} from ${platform.url}`, done, total),
  });
  return foundIn({ ...listed, folder }, flags, fitted);
}

async function fromCatalog(
  { data_dir, hub, packages }: FetchConfig,
  flags: ModelFlags,
  { signal, show, onWait }: Progress,
): Promise<FoundModel | undefined> {
  const catalog = readCatalog();
  if (!catalog.some(({ id }) => id === flags.model)) return undefined;
  const origins = await findOrigins({ hub, packages, environment: processEnvironment() });
  const stored = await pullModel({ catalog, store: new ModelStore(data_dir), origins }, flags.model, {
    signal,
    onWait,
    onProgress: ({ file, source, done, total }) => show(`${file} from ${source}`, done, total),
  });
  return foundStored(stored, flags);
}

async function fromHub(
  config: FetchConfig,
  flags: ModelFlags,
  machine: Machine,
  { signal, show }: Progress,
): Promise<FoundModel | undefined> {
  if (!/^[\w.-]+\/[\w.-]+([@:]|$)/.test(flags.model)) return undefined;
  const environment = processEnvironment();
  const { endpoint, token, home } = config.hub;
  const hub = createHubClient({ endpoint, token, proxied: isProxied(environment) });
  const cache = new HubCache(join(hubHome(home, environment), 'hub'));
  const reference = parseModelId(flags.model);
  // Where a repository has several formats, vLLM's are worth fetching only for a GPU.
  const engines = machine.gpu ? machine.engines : machine.engines.filter((engine) => engine !== 'vllm');
  const repository = await hub.repository(reference, signal).catch((error: Error) => {
    throw new StartupError(
      `'${flags.model}' is not in the platform's library, and can't be fetched from the hub: ${error.message}`,
    );
  });
  const { format } = chooseFiles(repository, { quantization: reference.quantization, engines });
  const task = taskOfTag(repository.pipelineTag);
  const { reason } = enginesFor(format, task, machine.engines);
  // Said before gigabytes are fetched.
  if (reason !== null && flags.engine === undefined) {
    throw new StartupError(`this machine can't serve '${flags.model}': ${reason}`);
  }
  const fetched = await fetchModel({ hub, cache, engines }, reference, {
    signal,
    onProgress: (done, total) => show(`${flags.model} from the hub`, done, total),
  });
  const { folder } = fetched;
  const paths = fetched.files.map(({ path }) => path);
  const facts = await readFacts({ folder, format, files: paths }, { task }, machine.engines);
  const model = {
    model_id: flags.model,
    adapter: format === 'peft',
    task: facts.task ?? null,
    format,
    quantization: facts.quantization ?? null,
    folder,
    converted: null,
    files: fetched.files,
  };
  return foundIn(model, flags, fitEngine(model, machine, wishesOf(flags)));
}

const wishesOf = ({ engine, dtype, adapter }: ModelFlags) => ({
  engine,
  dtype,
  adapters: adapter?.length ?? 0,
});

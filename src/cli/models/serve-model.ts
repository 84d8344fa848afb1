import type { Job } from '../../contracts/management/jobs.ts';
import type { ModelEntry } from '../../contracts/management/models.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { followJob } from '../jobs/follow-job.ts';
import type { ManagementApi } from '../server/management-api.ts';
import { tell } from '../terminal/print.ts';
import { deployModel, deploymentOf } from './deploy-model.ts';
import { libraryId } from './library-id.ts';

/** Downloads and deploys a language model or an adapter, unless it is served already. Returns the name to call it by. */
export async function serveModel(
  api: ManagementApi,
  name: string,
  { allowPickle }: { allowPickle: boolean },
): Promise<string> {
  const id = await libraryId(api, name);
  const serving = await deploymentOf(api);
  const served = serving ? [serving.model_id, ...serving.adapter_ids] : [];
  if (served.includes(id) && (serving?.ready ?? 1) > 0) return id;
  const model = (await find(api, id)) ?? (await add(api, id, allowPickle));
  const base = model.adapter ? baseOf(model) : id;
  requireChat(model);
  if (serving && serving.model_id !== base)
    tell(`deploying ${id}; ${serving.model_id} serves until it is ready and is then replaced`);
  else tell(`deploying ${id}`);
  await deployModel(api, { model: base, ...(model.adapter ? { adapter: id } : {}) });
  return id;
}

const find = async (api: ManagementApi, id: string) =>
  (await api.call<ModelEntry[]>('GET', 'models/')).find(({ model_id }) => model_id === id);

async function add(api: ManagementApi, id: string, allowPickle: boolean): Promise<ModelEntry> {
  const query = new URLSearchParams({ model_id: id, ...(allowPickle ? { allow_pickle: 'true' } : {}) });
  const started = await api.call<Job>('POST', `models/add/?${query}`);
  tell(`downloading ${id}`);
  const job = await followJob(api, started);
  const model = job.status === 'FINISHED' ? await find(api, id) : undefined;
  if (model) return model;
  throw new StartupError(job.error ?? `the download of '${id}' was interrupted`);
}

function baseOf({ model_id, base_model_id }: ModelEntry): string {
  if (base_model_id !== null) return base_model_id;
  throw new StartupError(`the adapter '${model_id}' does not say which model it was made for`);
}

function requireChat({ model_id, facts }: ModelEntry): void {
  const task = facts?.task ?? 'llm';
  if (task === 'llm') return;
  throw new StartupError(
    `'${model_id}' is not a chat model (its task is ${task}); deploy it with 'roundhouse deploy ${model_id} --slot ${task}'`,
  );
}

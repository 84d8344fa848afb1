import { z } from 'zod';
import { BadRequest, Conflict } from '../../contracts/problems.ts';
import type { App } from '../../platform/http/service.ts';
import type { Pod } from '../serving/pod.ts';
import { needs } from '../serving/served-model.ts';

const LoadAdapter = z
  .looseObject({ lora_name: z.string().min(1).max(256), lora_path: z.string().min(1) })
  .meta({ id: 'LoadAdapter' });
const UnloadAdapter = z.looseObject({ lora_name: z.string().min(1) }).meta({ id: 'UnloadAdapter' });

/** Routes for loading and unloading adapters at run time, with vLLM's paths and fields. */
export function addAdapterRoutes(app: App, pod: Pod): void {
  app.post('/v1/load_lora_adapter', { schema: { body: LoadAdapter } }, async (request) => {
    const { lora_name: name, lora_path: path } = request.body;
    await loadAdapter(pod, name, path);
    return { status: 'success', lora_name: name };
  });
  app.post('/v1/unload_lora_adapter', { schema: { body: UnloadAdapter } }, async (request) => {
    const { lora_name: name } = request.body;
    await needs(pod.engine, ['language', 'upstream'], request.url).unloadAdapter(name);
    pod.changed();
    return { status: 'success', lora_name: name };
  });
}

async function loadAdapter(pod: Pod, name: string, path: string): Promise<void> {
  const { served_model_name, model_name } = pod.served;
  if (name === served_model_name || name === model_name) {
    throw new Conflict(`'${name}' is the name of the base model`);
  }
  if (/\p{Cc}/u.test(name))
    throw new BadRequest('the name contains control characters', { param: 'lora_name' });
  await needs(pod.engine, ['language', 'upstream'], '/v1/load_lora_adapter').loadAdapter(name, path);
  pod.changed();
}

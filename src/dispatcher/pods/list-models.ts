import type { Model, ModelResponse } from '../../contracts/openai/models.ts';
import type { Aliases } from '../../platform/inference/aliases.ts';
import type { PodRegistry } from './registry.ts';

/** Lists the models that are available now, each once, under its served name, and the aliases that lead to them. */
export function listModels(registry: PodRegistry, aliases: Aliases = new Map()): ModelResponse {
  const found = new Map<string, Model>();
  for (const route of registry.models().routes()) {
    const pod = route.pods.find((candidate) => registry.isLive(candidate));
    if (!pod) continue;
    const { model_name, served_model_name, max_model_len } = pod.info;
    // A pod also answers to the name of the model behind its served name, but that is not a separate model.
    if (!route.adapter && served_model_name && route.name !== served_model_name) continue;
    if (found.has(route.name)) continue;
    found.set(route.name, {
      id: route.name,
      object: 'model',
      created: Math.floor(route.since / 1000),
      owned_by: 'roundhouse',
      root: route.adapter ? route.name : model_name || route.name,
      parent: route.parent,
      permission: [],
      task: route.task,
      ...(typeof max_model_len === 'number' ? { max_model_len } : {}),
    });
  }
  for (const [alias, target] of aliases) {
    const model = found.get(target);
    if (model) found.set(alias, { ...model, id: alias, root: target, parent: target, alias: true });
  }
  return { object: 'list', data: [...found.values()].sort((a, b) => a.id.localeCompare(b.id)) };
}

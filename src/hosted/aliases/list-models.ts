import type { Model, ModelResponse } from '../../contracts/openai/models.ts';
import type { Caller } from '../../platform/http/access.ts';
import { mayUseModel } from '../../platform/metering/allowed-models.ts';

/** The names of services and the models behind them that a caller may use; an alias whose model is away is left out. */
export function listHostedModels(
  { object, data }: ModelResponse,
  aliases: ReadonlyMap<string, string>,
  caller: Caller,
): ModelResponse {
  const served = new Map(data.map((model) => [model.id, model]));
  const named = Array.from(aliases, ([id, target]): Model | undefined => {
    const model = served.get(target);
    return model && { ...model, id, root: target, parent: target };
  });
  const all = [...named.filter((model) => model !== undefined), ...data];
  return { object, data: all.filter(({ id }) => mayUseModel(caller, id, aliases.get(id))) };
}

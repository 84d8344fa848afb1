import type { TrainableModel } from '../../contracts/management/models.ts';
import type { FinetuneDependencies } from './finetune-dependencies.ts';
import { describeTrainable } from './trainable.ts';

/** The base models that can be trained here; with `all`, the others too, with the reason why they can't. */
export async function listTrainable(
  { library, machine }: FinetuneDependencies,
  { all }: { all: boolean },
): Promise<TrainableModel[]> {
  const here = await machine();
  const bases = (await library.list()).filter((model) => !model.adapter);
  return bases.map((model) => describeTrainable(model, here)).filter(({ trainable }) => all || trainable);
}

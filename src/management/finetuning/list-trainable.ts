import type { TrainableModel } from '../../contracts/management/models.ts';
import type { FinetuneDependencies } from './finetune-dependencies.ts';
import { describeTrainable } from './trainable.ts';

/** Every base model on this machine, with whether it can be trained and why not. */
export async function listTrainable({ library, machine }: FinetuneDependencies): Promise<TrainableModel[]> {
  const here = await machine();
  const bases = (await library.list()).filter((model) => !model.adapter);
  return bases.map((model) => describeTrainable(model, here));
}

import type { DeployableModel } from './deployable-models.ts';

/** vLLM's limit; llama.cpp has none. */
const largestRank = 320;

/** Why an adapter can't be used with a base; undefined if it can. */
export function adapterProblem(
  base: DeployableModel,
  adapter: DeployableModel,
  engine: string,
): string | undefined {
  const { model_id, adapter: facts } = adapter;
  if (!facts) return `'${model_id}' is a base model, not an adapter`;
  if (!base.names.includes(facts.base_model_id)) {
    return `'${model_id}' was made for '${facts.base_model_id}', not for '${base.model_id}'`;
  }
  if (facts.rank !== null && facts.rank < 1) return `'${model_id}' has no rank`;
  if (engine === 'vllm' && facts.rank !== null && facts.rank > largestRank) {
    return `'${model_id}' has rank ${facts.rank}, but vLLM supports at most ${largestRank}`;
  }
  if (engine !== 'vllm' && facts.obstacle)
    return `'${model_id}' can't be used with ${engine}: ${facts.obstacle}`;
  if (facts.target_modules?.length === 0) return `'${model_id}' changes no module of its base`;
  return undefined;
}

/** Why an adapter does not improve on its base as much as wanted; undefined if it does. */
export function improvementProblem(
  { model_id, adapter }: DeployableModel,
  wanted: number | null,
): string | undefined {
  if (wanted === null) return undefined;
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  const gain = adapter?.improvement ?? null;
  if (gain === null) return `the improvement of '${model_id}' on its base was never measured`;
  if (gain >= wanted) return undefined;
  return `'${model_id}' improves on its base by ${percent(gain)}, but ${percent(wanted)} is required`;
}

import type { DeployableModel } from './deployable-models.ts';

/** Of vLLM, the strictest of the engines; llama.cpp takes any. */
const largestRank = 320;

/** Why an adapter can't ride on a base, in words; undefined where it can. */
export function misfitOf(
  base: DeployableModel,
  adapter: DeployableModel,
  engine: string,
): string | undefined {
  const { model_id, adapter: facts } = adapter;
  if (!facts) return `'${model_id}' is a model of its own, not an adapter`;
  if (!base.names.includes(facts.base_model_id)) {
    return `'${model_id}' was made for '${facts.base_model_id}', not for '${base.model_id}'`;
  }
  if (facts.rank !== null && facts.rank < 1) return `'${model_id}' has no rank`;
  if (engine === 'vllm' && facts.rank !== null && facts.rank > largestRank) {
    return `'${model_id}' has rank ${facts.rank}, and vLLM takes at most ${largestRank}`;
  }
  if (engine !== 'vllm' && facts.obstacle)
    return `'${model_id}' can't be used with ${engine}: ${facts.obstacle}`;
  if (facts.target_modules?.length === 0) return `'${model_id}' changes no module of its base`;
  return undefined;
}

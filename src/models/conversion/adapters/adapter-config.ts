import { join } from 'node:path';
import { z } from 'zod';
import { BadRequest } from '../../../contracts/problems.ts';
import { readJson } from '../../facts/config-facts.ts';
import { matchPatterns } from './patterns/match-patterns.ts';

/** The fields of PEFT's `adapter_config.json` that affect the meaning of the weights. */
const AdapterConfig = z.object({
  peft_type: z.string(),
  r: z.number().positive(),
  lora_alpha: z.number(),
  target_modules: z.union([z.string(), z.array(z.string())]).nullish(),
  base_model_name_or_path: z.string().nullish(),
  use_rslora: z.boolean().nullish(),
  use_dora: z.boolean().nullish(),
  fan_in_fan_out: z.boolean().nullish(),
  bias: z.string().nullish(),
  modules_to_save: z.array(z.string()).nullish(),
  rank_pattern: z.record(z.string(), z.number()).nullish(),
  alpha_pattern: z.record(z.string(), z.number()).nullish(),
});
export type AdapterConfig = z.infer<typeof AdapterConfig>;

export async function readAdapterConfig(folder: string): Promise<AdapterConfig> {
  const config = readJson(join(folder, 'adapter_config.json'));
  if (config === undefined) throw new BadRequest('the adapter has no adapter_config.json');
  const parsed = AdapterConfig.safeParse(config);
  if (!parsed.success) throw new BadRequest("the adapter's adapter_config.json is not valid");
  return parsed.data;
}

/** Why llama.cpp can't use such an adapter; null where it can. */
export function whyNotConvertible(config: AdapterConfig): string | null {
  if (config.peft_type !== 'LORA') return `its type is ${config.peft_type}; only LORA is supported`;
  if (config.use_dora) return 'it uses DoRA';
  if (config.fan_in_fan_out) return 'its weights are transposed (fan_in_fan_out)';
  if (config.bias && config.bias !== 'none') return `it changes biases (bias: ${config.bias})`;
  if (config.modules_to_save?.length)
    return `it replaces whole modules (${config.modules_to_save.join(', ')})`;
  return null;
}

/** The alpha of each module: its own, where a pattern of the configuration gives it one. */
export async function alphasOf(
  { alpha_pattern, lora_alpha }: AdapterConfig,
  modules: readonly string[],
): Promise<Map<string, number>> {
  const own = Object.entries(alpha_pattern ?? {});
  const patterns = own.map(([pattern]) => pattern);
  const found = patterns.length === 0 ? [] : await matchPatterns(patterns, modules);
  return new Map(modules.map((module, at) => [module, own[found[at] ?? -1]?.[1] ?? lora_alpha]));
}

/** The factor of B·A for a module of this alpha and rank. */
export function scaleOf({ use_rslora }: AdapterConfig, alpha: number, rank: number): number {
  return alpha / (use_rslora ? Math.sqrt(rank) : rank);
}

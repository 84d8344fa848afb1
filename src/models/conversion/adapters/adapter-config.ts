import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BadRequest } from '../../../contracts/problems.ts';

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
  const text = await readFile(join(folder, 'adapter_config.json'), 'utf8').catch(() => {
    throw new BadRequest('the adapter has no adapter_config.json');
  });
  const parsed = AdapterConfig.safeParse(parseJson(text));
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

/** The factor of B·A for a module of this rank. */
export function scaleOf(config: AdapterConfig, module: string, rank: number): number {
  const alpha = ofPattern(config.alpha_pattern, module) ?? config.lora_alpha;
  return alpha / (config.use_rslora ? Math.sqrt(rank) : rank);
}

/** PEFT matches its patterns against the end of a module's name. */
function ofPattern(pattern: Record<string, number> | null | undefined, module: string): number | undefined {
  return Object.entries(pattern ?? {}).find(
    ([name]) => module === name || module.endsWith(`.${name}`) || matches(name, module),
  )?.[1];
}

function matches(pattern: string, module: string): boolean {
  try {
    return new RegExp(`(^|.*\\.)(${pattern})$`).test(module);
  } catch {
    return false;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

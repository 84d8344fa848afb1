import { InvalidArgumentError } from 'commander';
import { DeployRequest, Slot } from '../../contracts/management/deployments.ts';
import { toInputIssues } from '../../platform/http/errors/input-issues.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { inWords } from '../server/refusal.ts';

export interface DeployFlags {
  slot?: string;
  adapter?: string[];
  engine?: string;
  dtype?: string;
  replicas?: number;
  maxModelLen?: number;
  gpuMemoryUtilization?: number;
  gpus?: number[];
  tensorParallel?: number;
  replace?: boolean;
}

/** `0,1` → [0, 1]. */
export function gpuList(text: string): number[] {
  if (/^\d{1,4}(,\d{1,4})*$/.test(text)) return text.split(',').map(Number);
  throw new InvalidArgumentError('expected indexes separated by commas, such as 0,1');
}

export function slotName(text: string): string {
  const parsed = Slot.safeParse(text);
  if (parsed.success) return text;
  throw new InvalidArgumentError(parsed.error.issues.map(({ message }) => message).join('; '));
}

/** The request for these flags, checked by the schema of the API. Throws all problems at once. */
export function deployRequest(model: string, flags: DeployFlags, extra: string[]): Record<string, unknown> {
  const given = {
    model_id: model,
    adapter_ids: flags.adapter,
    engine: flags.engine,
    dtype: flags.dtype,
    replicas: flags.replicas,
    max_model_len: flags.maxModelLen,
    gpu_memory_utilization: flags.gpuMemoryUtilization,
    gpus: flags.gpus,
    tensor_parallel: flags.tensorParallel,
    extra_arguments: extra.length > 0 ? extra : undefined,
    replace: flags.replace,
  };
  const request = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const checked = DeployRequest.safeParse(request);
  if (checked.success) return request;
  throw new StartupError(inWords(toInputIssues(checked.error.issues, 'body', request), 422));
}

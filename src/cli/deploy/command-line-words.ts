import { StartupError } from '../../platform/startup-error.ts';
import { Refused } from '../server/management-api.ts';

/** What the fields of a deploy request are called on the command line. */
const flags: ReadonlyMap<string, string> = new Map([
  ['model_id', 'model'],
  ['adapter_ids', '--adapter'],
  ['engine', '--engine'],
  ['dtype', '--dtype'],
  ['replicas', '--replicas'],
  ['max_model_len', '--max-model-len'],
  ['gpu_memory_utilization', '--gpu-memory-utilization'],
  ['gpus', '--gpus'],
  ['tensor_parallel', '--tensor-parallel'],
  ['extra_arguments', 'arguments after --'],
  ['replace', '--replace'],
  ['slot', '--slot'],
]);

interface Issue {
  loc: readonly (string | number)[];
  msg: string;
}

/** One line per problem, in the words of the command line. */
export function inFlags(issues: readonly Issue[]): string {
  return issues
    .map(({ loc, msg }) => {
      const [field = '', ...rest] = loc.slice(1).map(String);
      const place = [flags.get(field) ?? field, ...rest].join('.');
      return `${place}: ${asFlags(msg.replace(/^Value error, /, ''))}`;
    })
    .join('\n');
}

/** Replaces the API's names inside a message. Names that are also English words stay. */
export function asFlags(message: string): string {
  return message
    .replace('with "replace": true', 'with --replace')
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => flags.get(name) ?? name);
}

/** Rethrows a refusal in the words of the command line. */
export function rethrowInFlags(error: unknown): never {
  if (!(error instanceof Refused)) throw error;
  throw new StartupError(error.issues.length > 0 ? inFlags(error.issues) : asFlags(error.message));
}

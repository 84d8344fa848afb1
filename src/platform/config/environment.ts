import type { z } from 'zod';
import { type Leaf, leavesOf } from './leaves.ts';
import { noTelemetry } from './no-telemetry.ts';

export type Environment = Record<string, string | undefined>;

/** The only place that reads the process's environment. */
export const processEnvironment = (): Environment => process.env;

/** Called before libraries are loaded, because native ones read the variables at that time. Child processes inherit them. */
export function forbidTelemetry(): void {
  Object.assign(process.env, noTelemetry);
}

/** Variables that are not settings: the configuration file, those of commands that call a platform, those of tests. */
const notSettings = (name: string) =>
  ['ROUNDHOUSE_CONFIG', 'ROUNDHOUSE_URL', 'ROUNDHOUSE_API_KEY'].includes(name) ||
  ['ROUNDHOUSE_SOURCE_TOKEN', 'ROUNDHOUSE_SOURCE_PASSWORD'].includes(name) ||
  name.startsWith('ROUNDHOUSE_TEST_');

/** Whether a variable configures the platform. */
export const isSetting = (name: string) =>
  name.startsWith('ROUNDHOUSE_') && !name.startsWith('ROUNDHOUSE_TEST_');

export interface Setting {
  path: string[];
  value: unknown;
  source: string;
}

export const variableOf = (path: string[]) => `ROUNDHOUSE_${path.join('_').toUpperCase()}`;

/** Settings from the environment, and ROUNDHOUSE_ variables that match no setting. */
export function settingsFromEnvironment(
  schema: z.core.$ZodType,
  environment: Environment,
): {
  settings: Setting[];
  unknown: string[];
} {
  const leaves = leavesOf(schema);
  const named = new Map([
    ...leaves.flatMap((leaf) => (leaf.variable ? [[leaf.variable, leaf] as const] : [])),
    ...leaves.map((leaf) => [variableOf(leaf.path), leaf] as const),
  ]);
  const settings: Setting[] = [];
  const unknown: string[] = [];
  // Sorted, so that ROUNDHOUSE_ variables come after those of other tools (OTEL_…) and override them.
  for (const name of Object.keys(environment).sort()) {
    const text = environment[name];
    if (!text) continue;
    const leaf = named.get(name);
    if (leaf) settings.push({ path: leaf.path, value: readText(leaf, text), source: name });
    else if (name.startsWith('ROUNDHOUSE_') && !notSettings(name)) unknown.push(name);
  }
  return { settings, unknown };
}

/** Converts the text of a variable or flag to its setting's type. Invalid text is returned as is; the schema rejects it. */
export function readText(leaf: Leaf, text: string): unknown {
  switch (leaf.kind) {
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      if (/^(true|1|yes|on)$/i.test(text)) return true;
      return /^(false|0|no|off)$/i.test(text) ? false : text;
    case 'array':
      return text
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean);
    case 'record':
      return Object.fromEntries(
        text
          .split(',')
          .filter((pair) => pair.trim())
          .map(readPair),
      );
    default:
      return text;
  }
}

/** `name=value`; without a value the schema rejects it. */
function readPair(pair: string): [string, string] {
  const [name = '', ...value] = pair.split('=');
  return [name.trim(), value.join('=').trim()];
}

import type { z } from 'zod';
import { type Leaf, leavesOf } from './leaves.ts';

export type Environment = Record<string, string | undefined>;

/** The one place where the process's environment is read. */
export const processEnvironment = (): Environment => process.env;

/** Variables that are not settings: the file to read, and what only tests look at. */
const notSettings = (name: string) => name === 'ROUNDHOUSE_CONFIG' || name.startsWith('ROUNDHOUSE_TEST_');

/** Whether a variable is one of ours, and says something about the platform. */
export const isSetting = (name: string) =>
  name.startsWith('ROUNDHOUSE_') && !name.startsWith('ROUNDHOUSE_TEST_');

export interface Setting {
  path: string[];
  value: unknown;
  source: string;
}

export const variableOf = (path: string[]) => `ROUNDHOUSE_${path.join('_').toUpperCase()}`;

/** What the environment sets, and the ROUNDHOUSE_ names in it that are not settings. */
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
  // Sorted, so that a ROUNDHOUSE_ name comes after another tool's name and overrides it.
  for (const name of Object.keys(environment).sort()) {
    const text = environment[name];
    if (!text) continue;
    const leaf = named.get(name);
    if (leaf) settings.push({ path: leaf.path, value: readText(leaf, text), source: name });
    else if (name.startsWith('ROUNDHOUSE_') && !notSettings(name)) unknown.push(name);
  }
  return { settings, unknown };
}

/** Text of a variable or a flag, as the type its setting has. What does not fit stays text, for the schema to refuse. */
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
    default:
      return text;
  }
}

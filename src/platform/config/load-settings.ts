import { resolve } from 'node:path';
import type { z } from 'zod';
import { StartupError } from '../startup-error.ts';
import { readConfigFile } from './config-file.ts';
import {
  type Environment,
  readText,
  type Setting,
  settingsFromEnvironment,
  variableOf,
} from './environment.ts';
import { leavesOf } from './leaves.ts';
import { nearest } from './nearest.ts';
import type { Refusal } from './resolve-platform.ts';

export interface ConfigSources {
  environment: Environment;
  workingDirectory: string;
  /** `--config`. Default: ROUNDHOUSE_CONFIG, then ./roundhouse.yaml if it exists. */
  file?: string | undefined;
  /** From the command line: `{ port: '80', 'auth.open': 'true' }`. */
  flags?: Record<string, string | undefined>;
}

interface ConfigProblem {
  path: string;
  source: string;
  text: string;
}

/** Fills in defaults that depend on other settings, and rejects unsafe combinations. */
type Resolve<Input, Config> = (
  input: Input,
  workingDirectory: string,
) => { config: Config; refusal?: Refusal };

/** Reads file, environment and flags, each overriding the previous one. Reports all problems in one `StartupError`. */
export function loadSettings<Schema extends z.ZodType, Config>(
  schema: Schema,
  resolveInput: Resolve<z.output<Schema>, Config>,
  sources: ConfigSources,
): Config {
  const asked = sources.file ?? sources.environment.ROUNDHOUSE_CONFIG;
  const name = asked || 'roundhouse.yaml';
  const file = readConfigFile(resolve(sources.workingDirectory, name), name, Boolean(asked));
  const environment = settingsFromEnvironment(schema, sources.environment);
  const flags = settingsFromFlags(schema, sources.flags ?? {});
  const problems: ConfigProblem[] = [
    ...file.errors.map((text) => ({ path: name, source: 'configuration file', text })),
    ...environment.unknown.map((variable) => unknownVariable(schema, variable)),
    ...flags.problems,
  ];

  const merged = structuredClone(file.content);
  const origin = new Map<string, string>();
  for (const setting of [...environment.settings, ...flags.settings]) {
    setAt(merged, setting.path, setting.value);
    origin.set(setting.path.join('.'), setting.source);
  }
  const sourceOf = (path: string[]) => origin.get(path.join('.')) ?? file.place(path);

  const parsed = schema.safeParse(merged);
  if (!parsed.success) {
    problems.push(...parsed.error.issues.flatMap((issue) => describeIssue(schema, issue, sourceOf)));
    throw new StartupError(report(problems));
  }
  const { config, refusal } = resolveInput(parsed.data, sources.workingDirectory);
  if (refusal)
    problems.push({ path: refusal.path.join('.'), source: sourceOf(refusal.path), text: refusal.text });
  if (problems.length > 0) throw new StartupError(report(problems));
  return config;
}

function settingsFromFlags(schema: z.ZodType, flags: Record<string, string | undefined>) {
  const leaves = new Map(leavesOf(schema).map((leaf) => [leaf.path.join('.'), leaf]));
  const settings: Setting[] = [];
  const problems: ConfigProblem[] = [];
  for (const [path, text] of Object.entries(flags)) {
    if (text === undefined) continue;
    const leaf = leaves.get(path);
    if (leaf) settings.push({ path: leaf.path, value: readText(leaf, text), source: 'command line' });
    else problems.push({ path, source: 'command line', text: unknownKey(schema, path) });
  }
  return { settings, problems };
}

function describeIssue(
  schema: z.ZodType,
  issue: z.core.$ZodIssue,
  sourceOf: (path: string[]) => string,
): ConfigProblem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const full = [...path, key];
      return { path: full.join('.'), source: sourceOf(full), text: unknownKey(schema, full.join('.')) };
    });
  }
  return [
    { path: path.join('.'), source: sourceOf(path), text: issue.message.replace(/^Invalid input: /, '') },
  ];
}

const unknownKey = (schema: z.ZodType, path: string) =>
  `unknown key${didYouMean(
    path,
    leavesOf(schema).map((leaf) => leaf.path.join('.')),
  )}`;

const unknownVariable = (schema: z.ZodType, name: string): ConfigProblem => ({
  path: name,
  source: 'environment',
  text: `unknown setting${didYouMean(
    name,
    leavesOf(schema).map((leaf) => variableOf(leaf.path)),
  )}`,
});

function didYouMean(word: string, known: string[]): string {
  const close = nearest(word, known);
  return close ? `; did you mean ${close}?` : '';
}

function setAt(target: Record<string, unknown>, path: string[], value: unknown): void {
  const [head, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  const child = target[head];
  const next = typeof child === 'object' && child !== null ? (child as Record<string, unknown>) : {};
  target[head] = next;
  setAt(next, rest, value);
}

function report(problems: ConfigProblem[]): string {
  const lines = problems.map(({ path, source, text }) => `  ${path || '(whole file)'} (${source}): ${text}`);
  return `the configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${lines.join('\n')}`;
}

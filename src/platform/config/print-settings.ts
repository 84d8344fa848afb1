import { stringify } from 'yaml';
import type { z } from 'zod';
import { type Leaf, leavesOf } from './leaves.ts';
import { withUnit } from './units.ts';

/** A section of settings, or the line of one. */
type Tree = Map<string, Tree | { leaf: Leaf; value: unknown }>;

/** Every setting as YAML that can be read again: with units, secrets masked, and those that are not set as comments. */
export function printSettings(schema: z.core.$ZodType, config: object): string {
  const tree: Tree = new Map();
  for (const leaf of leavesOf(schema)) {
    const section = leaf.path.slice(0, -1).reduce((parent, name) => {
      const child = parent.get(name);
      if (child instanceof Map) return child;
      const made: Tree = new Map();
      parent.set(name, made);
      return made;
    }, tree);
    section.set(leaf.path.at(-1) ?? '', { leaf, value: valueAt(config, leaf.path) });
  }
  return `${linesOf(tree).join('\n')}\n`;
}

function linesOf(tree: Tree): string[] {
  return Array.from(tree).flatMap(([name, node]) => {
    if (!(node instanceof Map)) return [lineOf(name, node.leaf, node.value)];
    const lines = linesOf(node);
    // A section without a value would be read as null.
    const heading = lines.every((line) => line.trimStart().startsWith('#')) ? `# ${name}:` : `${name}:`;
    return [heading, ...lines.map((line) => `  ${line}`)];
  });
}

function lineOf(name: string, leaf: Leaf, value: unknown): string {
  if (value === undefined || value === null) return `# ${name}: (not set)`;
  if (leaf.secret) return `${name}: ${scalar(maskSecret(String(value)))}`;
  if (typeof value === 'number') return `${name}: ${withUnit(value, leaf.measure)}`;
  return `${name}: ${typeof value === 'object' ? JSON.stringify(value) : scalar(value)}`;
}

/** On one line, quoted where YAML needs it. */
const scalar = (value: unknown) => stringify(value, { lineWidth: 0, defaultStringType: 'PLAIN' }).trimEnd();

function valueAt(config: object, path: string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | undefined)?.[name],
    config,
  );
}

/** Masks the password in a database URL; masks any other secret entirely. */
function maskSecret(text: string): string {
  if (text.startsWith('sqlite:')) return text;
  return /^[a-z]+:\/\//.test(text) ? text.replace(/:\/\/([^:@/]*):[^@]*@/, '://$1:********@') : '********';
}

import { stringify } from 'yaml';
import type { z } from 'zod';
import { leavesOf } from './leaves.ts';

/** Settings as YAML, with secrets masked. */
export function printSettings(schema: z.core.$ZodType, config: object): string {
  const copy = structuredClone(config) as Record<string, unknown>;
  for (const leaf of leavesOf(schema)) {
    if (leaf.secret) maskAt(copy, leaf.path);
  }
  return stringify(copy);
}

function maskAt(target: Record<string, unknown>, path: string[]): void {
  const [head, ...rest] = path as [string, ...string[]];
  const child = target[head];
  if (child === undefined) return;
  if (rest.length > 0) maskAt(child as Record<string, unknown>, rest);
  else target[head] = maskSecret(String(child));
}

/** Masks the password in a database URL; masks any other secret entirely. */
function maskSecret(text: string): string {
  if (text.startsWith('sqlite:')) return text;
  return /^[a-z]+:\/\//.test(text) ? text.replace(/:\/\/([^:@/]*):[^@]*@/, '://$1:********@') : '********';
}

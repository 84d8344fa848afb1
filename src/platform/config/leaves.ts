import type { z } from 'zod';

/** A single setting of a schema. */
export interface Leaf {
  path: string[];
  /** The type of the value as written: `string`, `number`, `boolean`, `array`, … */
  kind: string;
  secret: boolean;
  description: string;
  /** What its number measures, if it is written with a unit. */
  measure: 'duration' | 'size' | undefined;
  /** An additional variable for the same setting, used by other tools. */
  variable: string | undefined;
}

interface WalkedType {
  def: { type: string; innerType?: WalkedType; shape?: Record<string, WalkedType>; in?: WalkedType };
  meta?():
    | { secret?: boolean; description?: string; variable?: string; measure?: Leaf['measure'] }
    | undefined;
}

/** All settings of a schema, found by walking its nested objects. */
export function leavesOf(schema: z.core.$ZodType): Leaf[] {
  return walk(schema as unknown as WalkedType, []);
}

function walk(type: WalkedType, path: string[]): Leaf[] {
  const { inner, ...meta } = unwrap(type);
  if (inner.def.type === 'object') {
    return Object.entries(inner.def.shape ?? {}).flatMap(([key, child]) => walk(child, [...path, key]));
  }
  // Durations and sizes are pipes from text or a number to a number.
  const written = inner.def.type === 'pipe' && inner.def.in ? inner.def.in : inner;
  return [{ path, kind: written.def.type, ...meta }];
}

function unwrap(type: WalkedType) {
  let inner = type;
  let secret = false;
  let description = '';
  let variable: string | undefined;
  let measure: Leaf['measure'];
  for (;;) {
    const meta = inner.meta?.();
    secret ||= meta?.secret === true;
    description ||= meta?.description ?? '';
    variable ??= meta?.variable;
    measure ??= meta?.measure;
    if (!inner.def.innerType) return { inner, secret, description, variable, measure };
    inner = inner.def.innerType;
  }
}

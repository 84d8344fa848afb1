import type { z } from 'zod';

/** One single setting of a schema. */
export interface Leaf {
  path: string[];
  /** The type of the value as written: `string`, `number`, `boolean`, `array`, … */
  kind: string;
  secret: boolean;
  description: string;
}

interface WalkedType {
  def: { type: string; innerType?: WalkedType; shape?: Record<string, WalkedType>; in?: WalkedType };
  meta?(): { secret?: boolean; description?: string } | undefined;
}

/** Every single setting, found by walking the schema's objects. */
export function leavesOf(schema: z.core.$ZodType): Leaf[] {
  return walk(schema as unknown as WalkedType, []);
}

function walk(type: WalkedType, path: string[]): Leaf[] {
  const { inner, secret, description } = unwrap(type);
  if (inner.def.type === 'object') {
    return Object.entries(inner.def.shape ?? {}).flatMap(([key, child]) => walk(child, [...path, key]));
  }
  // A duration or a size is a pipe: text or number in, number out.
  const written = inner.def.type === 'pipe' && inner.def.in ? inner.def.in : inner;
  return [{ path, kind: written.def.type, secret, description }];
}

function unwrap(type: WalkedType) {
  let inner = type;
  let secret = false;
  let description = '';
  for (;;) {
    const meta = inner.meta?.();
    secret ||= meta?.secret === true;
    description ||= meta?.description ?? '';
    if (!inner.def.innerType) return { inner, secret, description };
    inner = inner.def.innerType;
  }
}

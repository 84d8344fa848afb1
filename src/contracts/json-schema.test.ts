import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const here = fileURLToPath(new URL('.', import.meta.url));
const files = readdirSync(here, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .sort();

const schemas: { name: string; file: string; schema: z.ZodType }[] = [];
for (const file of files) {
  const exported: Record<string, unknown> = await import(/* @vite-ignore */ `${here}${file}`);
  for (const [name, value] of Object.entries(exported)) {
    if (value instanceof z.ZodType) schemas.push({ name, file, schema: value });
  }
}

describe('every exported schema', () => {
  it('is found', () => {
    expect(schemas.length).toBeGreaterThan(80);
  });

  it.each(schemas)('$name converts to JSON Schema as input and as output', ({ schema }) => {
    for (const io of ['input', 'output'] as const) {
      const converted = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
      expect(converted.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    }
  });

  it.each(schemas)('$name is registered under its own name, or not at all', ({ name, schema }) => {
    expect([name, undefined]).toContain(z.globalRegistry.get(schema)?.id);
  });

  it('has a name of its own, also with the Input that marks a request component', () => {
    const ids = schemas.flatMap(({ schema }) => z.globalRegistry.get(schema)?.id ?? []);
    const taken = new Set(ids);
    expect(taken.size).toBe(ids.length);
    expect(ids.filter((id) => taken.has(`${id}Input`))).toEqual([]);
  });
});

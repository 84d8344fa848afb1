import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tidyComponents } from './openapi-components.ts';
import { describePlainly } from './openapi-schemas.ts';

const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const document = (paths: unknown, schemas: Record<string, unknown>) => ({ paths, components: { schemas } });

describe('tidyComponents', () => {
  it('drops what nothing refers to, and keeps what is reached through another', () => {
    const tidied = tidyComponents(document({ a: refer('A') }, { A: { items: refer('B') }, B: {}, C: {} }));
    expect(Object.keys(tidied.components.schemas)).toEqual(['A', 'B']);
  });

  it('gives a schema that is only read its own name', () => {
    const tidied = tidyComponents(
      document({ body: refer('OrderInput') }, { Order: { x: 1 }, OrderInput: { y: 2 } }),
    );
    expect(tidied).toEqual(document({ body: refer('Order') }, { Order: { y: 2 } }));
  });

  it('joins the two forms where they are alike, and keeps both where they, or what they refer to, differ', () => {
    const schemas = {
      Alike: { type: 'string' },
      AlikeInput: { type: 'string' },
      Outer: { items: refer('Inner') },
      OuterInput: { items: refer('InnerInput') },
      Inner: { required: ['a'] },
      InnerInput: {},
    };
    const paths = ['Alike', 'AlikeInput', 'Outer', 'OuterInput'].map(refer);
    const tidied = tidyComponents(document(paths, schemas));
    expect(tidied.paths).toEqual(['Alike', 'Alike', 'Outer', 'OuterInput'].map(refer));
    expect(Object.keys(tidied.components.schemas)).toEqual([
      'Alike',
      'Inner',
      'InnerInput',
      'Outer',
      'OuterInput',
    ]);
    expect(tidied.components.schemas.OuterInput).toEqual({ items: refer('InnerInput') });
  });
});

it('describes integers, formats and open answers plainly', () => {
  const schema = z.object({
    count: z.int(),
    limited: z.int().max(5),
    id: z.uuid(),
    inner: z.strictObject({}),
  });
  const described = z.toJSONSchema(schema, { override: describePlainly });
  expect(described).toMatchObject({
    properties: {
      count: { type: 'integer' },
      limited: { type: 'integer', maximum: 5 },
      id: { type: 'string', format: 'uuid' },
      inner: { additionalProperties: false },
    },
  });
  expect(described.additionalProperties).toBeUndefined();
  expect(JSON.stringify(described)).not.toMatch(/9007199254740991|pattern/);
});

import { getLlama, type Llama, LlamaLogLevel } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaRule } from './json-schema.ts';
import { Rules } from './rules.ts';

function jsonSchemaGrammar(schema: unknown): string {
  const rules = new Rules();
  return rules.toGrammar(schemaRule(rules, schema));
}

let llama: Llama;
beforeAll(async () => {
  llama = await getLlama({ build: 'never', gpu: false, logLevel: LlamaLogLevel.disabled });
});
afterAll(() => llama.dispose());

/** Asks llama.cpp's own grammar whether a text fits. */
async function matcher(schema: unknown): Promise<(text: string) => boolean> {
  const grammar = await llama.createGrammar({ grammar: jsonSchemaGrammar(schema) });
  return (text) => (grammar as unknown as { _testText(text: string): boolean })._testText(text);
}

interface Case {
  title: string;
  schema: unknown;
  fits: unknown[];
  misfits: unknown[];
}

const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' }, email: { type: ['string', 'null'] } },
  required: ['name', 'age'],
  additionalProperties: false,
};

const cases: Case[] = [
  {
    title: 'required and optional members in order',
    schema: person,
    fits: [
      { name: 'a', age: 1 },
      { name: 'a "b" \\ ü\n', age: -3, email: 'x' },
      { name: '', age: 0, email: null },
    ],
    misfits: [
      { name: 'a' },
      { name: 'a', age: 1.5 },
      { name: 'a', age: 1, more: 1 },
      { age: 1, name: 'a' },
      [],
    ],
  },
  {
    title: 'only optional members',
    schema: {
      type: 'object',
      properties: { a: { type: 'boolean' }, b: { type: 'null' }, c: { type: 'number' } },
    },
    fits: [{}, { a: true }, { b: null }, { a: false, c: 1.25e3 }, { a: true, b: null, c: -0.5 }],
    misfits: [{ a: 1 }, { c: '1' }, { d: 1 }],
  },
  {
    title: 'members that are not named',
    schema: {
      type: 'object',
      properties: { id: { type: 'integer' } },
      required: ['id'],
      additionalProperties: { type: 'boolean' },
    },
    fits: [{ id: 1 }, { id: 1, x: true, y: false }],
    misfits: [{ id: 1, x: 1 }, { x: true }],
  },
  {
    title: 'a reference to itself',
    schema: {
      $ref: '#/$defs/tree',
      $defs: {
        tree: {
          type: 'object',
          properties: {
            value: { type: 'integer' },
            children: { type: 'array', items: { $ref: '#/$defs/tree' } },
          },
          required: ['value', 'children'],
        },
      },
    },
    fits: [
      { value: 1, children: [] },
      { value: 1, children: [{ value: 2, children: [{ value: 3, children: [] }] }] },
    ],
    misfits: [{ value: 1 }, { value: 1, children: [{}] }],
  },
  {
    title: 'choices, constants and enumerations',
    schema: {
      type: 'object',
      properties: {
        kind: { const: 'a' },
        size: { enum: ['s', 2, null] },
        either: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
      },
      required: ['kind', 'size', 'either'],
    },
    fits: [
      { kind: 'a', size: 's', either: 1 },
      { kind: 'a', size: null, either: true },
    ],
    misfits: [
      { kind: 'b', size: 's', either: 1 },
      { kind: 'a', size: 3, either: 1 },
      { kind: 'a', size: 2, either: 'x' },
    ],
  },
  {
    title: 'all of several',
    schema: {
      allOf: [{ $ref: '#/definitions/base' }, { properties: { b: { type: 'string' } }, required: ['b'] }],
      definitions: { base: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } },
    },
    fits: [{ a: 1, b: 'x' }],
    misfits: [{ a: 1 }, { b: 'x' }],
  },
  {
    title: 'lists with a least and a most',
    schema: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 3 },
    fits: [
      [1, 2],
      [1, 2, 3],
    ],
    misfits: [[], [1], [1, 2, 3, 4], ['1', 2]],
  },
  {
    title: 'lists of fixed places',
    schema: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
    fits: [['a', 1]],
    misfits: [['a'], [1, 'a'], ['a', 1, 2]],
  },
  {
    title: 'integers within bounds',
    schema: { type: 'integer', minimum: -12, maximum: 305 },
    fits: [-12, -9, -1, 0, 7, 10, 99, 100, 299, 305],
    misfits: [-13, -100, 306, 1000, 1.5],
  },
  {
    title: 'integers with one bound',
    schema: { type: 'integer', exclusiveMinimum: 17 },
    fits: [18, 20, 99, 100, 12345],
    misfits: [17, 9, 0, -18],
  },
  {
    title: 'numbers within bounds',
    schema: { type: 'number', minimum: 0, maximum: 1 },
    fits: [0, 0.5, 0.001, 1],
    misfits: [-0.5, 1.5, 2, 10],
  },
  {
    title: 'numbers above zero',
    schema: { type: 'number', exclusiveMinimum: 0 },
    fits: [0.01, 1, 99.5],
    misfits: [0, -1],
  },
  {
    title: 'formats',
    schema: {
      type: 'object',
      properties: {
        day: { type: 'string', format: 'date' },
        id: { type: 'string', format: 'uuid' },
        at: { format: 'date-time', type: 'string' },
      },
      required: ['day', 'id', 'at'],
    },
    fits: [{ day: '2026-02-28', id: '123e4567-e89b-12d3-a456-426614174000', at: '2026-01-01T10:00:00Z' }],
    misfits: [{ day: '2026-13-01', id: '123e4567-e89b-12d3-a456-426614174000', at: '2026-01-01T10:00:00Z' }],
  },
  {
    title: 'lengths',
    schema: { type: 'string', minLength: 2, maxLength: 3 },
    fits: ['ab', 'abc', 'жд'],
    misfits: ['', 'a', 'abcd'],
  },
  {
    title: 'patterns',
    schema: { type: 'string', pattern: '^(\\+\\d{1,3} )?[A-Z][a-z-]*(?:ab|cd)?\\.$' },
    fits: ['Hello.', '+49 Xab.', 'A-b.'],
    misfits: ['hello.', 'Hello', '+1234 H.'],
  },
  {
    title: 'patterns without anchors',
    schema: { type: 'string', pattern: 'cat|dog' },
    fits: ['cat', 'my dog!'],
    misfits: ['bird'],
  },
  { title: 'anything', schema: {}, fits: [1, 'a', null, [], { a: [true] }], misfits: [] },
];

describe('a JSON schema as a grammar', () => {
  it.each(cases)('allows exactly $title', async ({ schema, fits, misfits }) => {
    const matches = await matcher(schema);
    for (const value of fits) expect([value, matches(JSON.stringify(value))]).toEqual([value, true]);
    for (const value of misfits) expect([value, matches(JSON.stringify(value))]).toEqual([value, false]);
  });

  it('allows white space as people write it', async () => {
    const matches = await matcher(person);
    expect(matches('{"name": "a", "age": 1}')).toBe(true);
    expect(matches('{\n  "name": "a",\n  "age": 1\n}')).toBe(true);
  });

  it('keeps many optional members in order, and any of many values', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'null' }]));
    const matches = await matcher({ type: 'object', properties });
    expect(matches('{"p0":null,"p250":null,"p499":null}')).toBe(true);
    expect(matches('{"p499":null,"p0":null}')).toBe(false);
    const values = [
      ...Array.from({ length: 4_000 }, (_, index) => index * 7919),
      '',
      'a',
      'ab',
      'ä',
      '😀',
      '😁',
      '"',
    ];
    const oneOf = await matcher({ enum: values });
    for (const value of values.filter((_, index) => index % 50 === 0 || index >= 4_000))
      expect(oneOf(JSON.stringify(value))).toBe(true);
    for (const value of [1, '79', 'abc', 'b', '😂']) expect(oneOf(JSON.stringify(value))).toBe(false);
  });

  it.each([
    [
      'lists of many values',
      { enum: Array.from({ length: 16_000 }, (_, index) => index) },
      /5000 enum values/,
    ],
    [
      'many optional members',
      { properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`p${index}`, true])) },
      /more than 500 optional properties/,
    ],
    [
      'many members',
      {
        properties: Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`p${index}`, true])),
        required: Array.from({ length: 6_000 }, (_, index) => `p${index}`),
      },
      /more than 5000 properties/,
    ],
    ['many choices', { anyOf: Array.from({ length: 501 }, () => true) }, /more than 500 alternatives/],
    [
      'long values',
      { enum: Array.from({ length: 10 }, (_, index) => 'x'.repeat(30_000 + index)) },
      /250000 characters/,
    ],
    ['deep nesting', nested(100, true), /more than 64 levels of nesting/],
    ['deep nesting of choices', nested(60_000, true), /levels of nesting/],
    [
      'many lengths',
      {
        prefixItems: Array.from({ length: 20 }, (_, index) => ({ type: 'string', maxLength: 1_999 - index })),
      },
      /more than 20000 repetitions/,
    ],
    ['references that double', doubling(30), /more than 10000 schemas/],
    [
      'infinite references',
      { $ref: '#/$defs/a', title: 't', items: {}, $defs: { a: { $ref: '#/$defs/a', items: {} } } },
      /too large|infinitely recursive/,
    ],
    [
      'repetitions in repetitions',
      { type: 'string', pattern: '^([a-z ]{1,30}){1,60}$' },
      /repetitions that add up to more than 256/,
    ],
    [
      'repetitions of repetitions',
      { type: 'string', pattern: '^(((a{1,9}){1,9}){1,9}){1,9}$' },
      /repetitions that add up to more than 256/,
    ],
    [
      'repetitions of nothing',
      { type: 'string', pattern: '^(a?){1,100}$' },
      /repetition of a part that may be empty/,
    ],
    [
      'long patterns',
      { type: 'string', pattern: 'a'.repeat(2_000) },
      /a pattern of more than 1000 characters/,
    ],
  ])('rejects %s, and names the limit', (_title, schema, words) => {
    expect(() => jsonSchemaGrammar(schema)).toThrow(words);
  });

  it.each([
    { type: 5 },
    { type: 'object', properties: [] },
    { type: 'object', properties: null },
    { type: 'object', required: 'name' },
    { type: 'object', required: [1] },
    { type: 'string', pattern: 1 },
    { type: 'string', format: {} },
    { type: 'string', minLength: -1 },
    { type: 'string', minLength: 1.5 },
    { type: 'string', minLength: 5, maxLength: 4 },
    { type: 'array', minItems: '1' },
    { type: 'array', prefixItems: 1 },
    { enum: {} },
    { anyOf: 1 },
    { allOf: [1] },
    { allOf: [{ $ref: '#/$defs/%' }] },
    { $ref: 1 },
    { $ref: '#/constructor' },
    { $ref: '#/%E0%A4%A' },
  ])('refuses keywords of the wrong kind: %j', (schema) => {
    expect(() => jsonSchemaGrammar(schema)).toThrow(/The JSON schema can't be used/);
  });

  it('treats member names that every object inherits like any other', async () => {
    const matches = await matcher({ type: 'object', properties: {}, required: ['toString'] });
    expect(matches('{"toString":1}')).toBe(true);
    expect(matches('{}')).toBe(false);
    expect((await matcher({ type: 'string', format: 'constructor' }))('"x"')).toBe(true);
  });

  it.each([
    ['a type that does not exist', { type: 'text' }, /unknown type 'text'; use one of object/],
    [
      'what a grammar can not say',
      { type: 'object', properties: { a: { not: { type: 'string' } } } },
      /#\/properties\/a uses 'not'/,
    ],
    ['a reference to nowhere', { $ref: '#/$defs/none' }, /refers to '#\/\$defs\/none', which does not exist/],
    ['a reference to another document', { $ref: 'https://example.com/x' }, /outside the schema/],
    [
      'bounds with nothing between',
      { type: 'integer', minimum: 5, maximum: 4 },
      /bounds that no number satisfies/,
    ],
    ['an invalid pattern', { type: 'string', pattern: '(' }, /not a valid regular expression/],
    ['a lookahead', { type: 'string', pattern: '^(?!a)b$' }, /a lookahead or lookbehind/],
    ['a list', [], /neither an object nor a boolean/],
    ['nothing', false, /allows nothing/],
  ])('refuses %s in words', (_title, schema, words) => {
    expect(() => jsonSchemaGrammar(schema)).toThrow(words);
  });
});

function nested(levels: number, innermost: unknown): unknown {
  let schema = innermost;
  for (let level = 0; level < levels; level++) schema = level % 2 ? { items: schema } : { anyOf: [schema] };
  return schema;
}

/** Each definition refers to the next one twice, with siblings of the reference that must be merged. */
function doubling(levels: number) {
  const $defs: Record<string, unknown> = { [`d${levels}`]: { type: 'null' } };
  for (let level = 0; level < levels; level++) {
    const next = { $ref: `#/$defs/d${level + 1}`, minItems: 1 };
    $defs[`d${level}`] = { prefixItems: [next, next] };
  }
  return { $ref: '#/$defs/d0', $defs };
}

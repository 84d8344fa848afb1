import type { Random } from '../random.ts';

export interface HostileSchema {
  title: string;
  schema: unknown;
}

const numbers = [
  ...[0, -0, 1, -1, 0.1, 1.5, 1e-7, 5e-324, 2 ** 31, 2 ** 53, 2 ** 63, -(2 ** 63), 1e16, 1e21, 1e308, -1e308],
];
const counts = [0, 1, 10, 100, 1_000, 10_000];
const times = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index));
const members = (count: number, value: (index: number) => unknown) =>
  Object.fromEntries(times(count, (index) => [`p${index}`, value(index)]));

const patterns = [
  '^(a+)+$',
  '^((a|b)*c?)+$',
  '^(a?){1,100}$',
  '^([a-z]{1,30}){1,60}$',
  '^(((a{1,9}){1,9}){1,9}){1,9}$',
  '^(a|aa|aaa){1,80}$',
  '[^"]*',
  '^\\d{1,2000}$',
  '^.{2001}$',
  '(',
  '^[\\w.-]+@[\\w-]+\\.[a-z]{2,}$',
  `${'\\\\'.repeat(400)}$`,
  '(?=a)b',
  '\\p{L}+',
  '',
  '^$',
  '|||',
  '[]',
  '[\\]]',
  'a{0}',
];

/** JSON schemas that blow up, contradict themselves, or are none. */
export function hostileSchema(random: Random): HostileSchema {
  const count = random.pick(counts);
  const kinds: [string, () => unknown][] = [
    ['bounds', () => bounds(random)],
    [
      'bounds',
      () => ({ type: 'object', properties: { a: bounds(random), b: bounds(random) }, required: ['a', 'b'] }),
    ],
    [
      `${count} optional members`,
      () => ({ type: 'object', properties: members(count, () => ({ type: 'string' })) }),
    ],
    [
      `${count} required members`,
      () => ({
        type: 'object',
        properties: members(count, () => true),
        required: times(count, (index) => `p${index}`),
      }),
    ],
    [
      `${count} values`,
      () => ({ enum: times(count, (index) => (random.chance(0.5) ? index : `v${index}`)) }),
    ],
    [
      `values within each other`,
      () => ({ enum: times(Math.min(count, 1_000), (index) => 'a'.repeat(index)) }),
    ],
    [`${count} choices`, () => ({ anyOf: times(count, (index) => ({ const: index })) })],
    [
      `${count} choices of objects`,
      () => ({ oneOf: times(count, (index) => ({ type: 'object', properties: { [`k${index}`]: true } })) }),
    ],
    [
      `${count} parts`,
      () => ({ allOf: times(count, (index) => ({ properties: { [`k${index}`]: { type: 'null' } } })) }),
    ],
    ['a pattern', () => ({ type: 'string', pattern: random.pick(patterns) })],
    [
      'patterns',
      () => ({
        type: 'object',
        properties: members(20, () => ({ type: 'string', pattern: random.pick(patterns) })),
      }),
    ],
    ['lengths', () => ({ type: 'string', minLength: random.pick(numbers), maxLength: random.pick(numbers) })],
    [
      'many lengths',
      () => ({
        prefixItems: times(Math.min(count, 200), (index) => ({ type: 'string', maxLength: 1_900 + index })),
      }),
    ],
    [
      'items',
      () => ({
        type: 'array',
        items: { type: 'array', items: true, maxItems: random.pick(numbers) },
        minItems: random.pick(numbers),
      }),
    ],
    [`${Math.min(count, 1_000)} levels`, () => nested(Math.min(count, 1_000))],
    [
      'a circle of references',
      () => ({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }),
    ],
    [
      'a circle with something beside',
      () => ({ $ref: '#/$defs/a', minItems: 1, $defs: { a: { $ref: '#/$defs/a', minItems: 2 } } }),
    ],
    ['references that double', () => doubling(random.pick([5, 12, 30]), random.chance(0.5))],
    ['a tree', () => ({ $ref: '#/$defs/t', $defs: { t: { type: 'array', items: { $ref: '#/$defs/t' } } } })],
    ['keywords of the wrong kind', () => wrongKinds(random)],
    [
      'a reference to nowhere',
      () => ({ $ref: random.pick(['#/__proto__', '#/constructor', 'http://x/', '#/%', '']) }),
    ],
    [
      'nothing',
      () => random.pick([{}, { type: [] }, { type: 'any' }, { not: {} }, { enum: [] }, { const: null }]),
    ],
  ];
  const [title, make] = random.pick(kinds);
  return { title, schema: make() };
}

function bounds(random: Random) {
  const keys = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].filter(() =>
    random.chance(0.5),
  );
  return {
    type: random.pick(['integer', 'number']),
    ...Object.fromEntries(keys.map((key) => [key, random.chance(0.1) ? true : random.pick(numbers)])),
  };
}

function nested(levels: number): unknown {
  let schema: unknown = { type: 'null' };
  for (let level = 0; level < levels; level++) schema = { type: 'array', items: schema };
  return schema;
}

function doubling(levels: number, merged: boolean): unknown {
  const $defs: Record<string, unknown> = { [`d${levels}`]: { type: 'null' } };
  for (let level = 0; level < levels; level++) {
    const next = { $ref: `#/$defs/d${level + 1}`, ...(merged ? { minItems: 1 } : {}) };
    $defs[`d${level}`] = { prefixItems: [next, next] };
  }
  return { $ref: '#/$defs/d0', $defs };
}

function wrongKinds(random: Random) {
  const keys = [
    'type',
    'properties',
    'required',
    'enum',
    'anyOf',
    'allOf',
    '$ref',
    'pattern',
    'items',
    'minItems',
    'format',
    '$defs',
  ];
  return Object.fromEntries(
    times(3, () => [
      random.pick(keys),
      random.pick<unknown>([1, 'x', null, [], {}, true, [null], [1], { a: 1 }, -1, 1.5]),
    ]),
  );
}

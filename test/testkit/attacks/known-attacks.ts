interface Attack {
  title: string;
  path: string;
  body: Record<string, unknown>;
  status: number;
  /** The refusal names the limit. */
  says?: RegExp;
}

const many = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index));
const messages = [{ role: 'user', content: 'hello' }];
const chat = (title: string, body: Record<string, unknown>, status: number, says?: RegExp): Attack => ({
  title,
  path: '/v1/chat/completions',
  body: { messages, max_tokens: 8, ...body },
  status,
  ...(says ? { says } : {}),
});
const schema = (value: unknown) => ({ type: 'json_schema', json_schema: { name: 'x', schema: value } });
const named = (count: number) =>
  Object.fromEntries(many(count, (index) => [`p${index}`, { type: 'string' }]));

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = { type: 'object', properties: { a: value } };
  return value;
}

/** Requests that once stopped or killed a pod, or blew up its answer. */
export const knownAttacks: Attack[] = [
  chat(
    'the largest 64-bit integer as a maximum',
    { response_format: schema({ type: 'integer', maximum: 2 ** 63 }) },
    200,
  ),
  chat(
    'the largest number as a maximum',
    { response_format: schema({ type: 'number', maximum: 1e308 }) },
    200,
  ),
  chat(
    '100,000 empty messages',
    { messages: many(100_000, () => ({ role: 'user', content: '' })) },
    400,
    /at most 16384 items/,
  ),
  chat(
    '16,384 empty messages',
    { messages: many(16_384, () => ({ role: 'user', content: '' })) },
    400,
    /maximum context length/,
  ),
  chat(
    '2,000 optional properties',
    { response_format: schema({ type: 'object', properties: named(2_000) }) },
    400,
    /more than 500 optional properties/,
  ),
  chat(
    '500 optional properties',
    { response_format: schema({ type: 'object', properties: named(500) }) },
    200,
  ),
  chat(
    'an enum of 16,000',
    { response_format: schema({ enum: many(16_000, String) }) },
    400,
    /more than 5000 enum values/,
  ),
  chat('an enum of 5,000', { response_format: schema({ enum: many(5_000, String) }) }, 200),
  chat(
    '300,000 logit biases',
    { logit_bias: Object.fromEntries(many(300_000, (index) => [index, 1])) },
    400,
    /at most 1024 keys/,
  ),
  chat(
    'a repetition penalty near zero',
    { repetition_penalty: 1e-38, response_format: { type: 'json_object' }, temperature: 1 },
    400,
    /repetition_penalty/,
  ),
  chat(
    'a tool schema nested 2,000 deep',
    { tools: [{ type: 'function', function: { name: 'f', parameters: nested(1_000) } }] },
    400,
    /nested more than 128 levels/,
  ),
  chat(
    'a word of 300,000 digits',
    { messages: [{ role: 'user', content: '1'.repeat(300_000) }] },
    400,
    /maximum context length/,
  ),
  chat(
    'a million control tokens',
    { messages: [{ role: 'user', content: '<|im_end|>'.repeat(1_000_000) }] },
    400,
    /maximum context length/,
  ),
  chat('a stop text of a megabyte', { stop: 'a'.repeat(2 ** 20) }, 400, /at most 256 characters/),
  chat(
    '129 tools',
    { tools: many(129, (index) => ({ type: 'function', function: { name: `f${index}` } })) },
    400,
    /at most 128 items/,
  ),
  chat(
    'repetitions in repetitions',
    { response_format: schema({ type: 'string', pattern: '^([a-z]{1,99}){1,99}$' }) },
    400,
    /repetitions/,
  ),
  chat('more tokens than the context has', { max_tokens: 2 ** 53 - 1 }, 400, /maximum context length/),
  chat('the largest seed', { seed: 2 ** 63, n: 3 }, 200),
  {
    title: '15 million token ids',
    path: '/v1/embeddings',
    body: { input: new Array(15_000_000).fill(7) },
    status: 400,
    says: /more than 2000000 values/,
  },
  {
    title: 'more token ids than are taken',
    path: '/v1/embeddings',
    body: { input: new Array(2 ** 20 + 1).fill(7) },
    status: 400,
    says: /at most 1048576 token ids/,
  },
  {
    title: 'a million numbers as documents',
    path: '/v1/rerank',
    body: { query: 'x', documents: new Array(1_000_000).fill(7) },
    status: 400,
    says: /at most 10000 items/,
  },
  {
    title: '10,000 numbers as documents',
    path: '/v1/rerank',
    body: { query: 'x', documents: new Array(10_000).fill(7) },
    status: 400,
  },
  {
    title: '2,048 long prompts',
    path: '/v1/completions',
    body: { prompt: new Array(2_048).fill('hello world '.repeat(1_000)), max_tokens: 1 },
    status: 400,
    says: /maximum context length/,
  },
];

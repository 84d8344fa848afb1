import type { Random } from '../random.ts';
import { hostileSchema } from './hostile-schemas.ts';

export interface HostileRequest {
  /** What is wrong with it, for a failed test's message. */
  title: string;
  path: string;
  /** JSON text: some numbers can't be written by `JSON.stringify`. */
  body: string;
  /** The caller leaves after so many milliseconds. */
  leaveAfter?: number;
}

type Body = Record<string, unknown>;
type Change = (random: Random, body: Body) => string;

/** Any request that a pod has to survive: an ordinary one with one to three fields turned to extremes. */
export function hostileRequest(random: Random, model: string): HostileRequest {
  const [path, ordinary, changes] = random.pick(endpoints);
  const body: Body = { model, ...ordinary };
  const titles = Array.from({ length: random.pick([1, 1, 1, 2, 2, 3]) }, () =>
    random.pick(changes)(random, body),
  );
  return {
    title: `${path} with ${titles.join(', ')}`,
    path,
    body: JSON.stringify(body).replace(/"@@([^"@]*)@@"/g, '$1'),
    ...(random.chance(0.15) ? { leaveAfter: random.below(300) } : {}),
  };
}

/** Numbers as they are written in JSON; some are infinite, some are rounded when they are read. */
const extremes = [
  ...['0', '-0', '1', '-1', '0.5', '1.5', '2', '128', '129', '1e5', '1e308', '-1e308', '1e999', '-1e999'],
  ...['1e-38', '1e-45', '5e-324', '2147483647', '2147483648', '4294967297', '9007199254740993'],
  ...[
    '9223372036854775807',
    '-9223372036854775808',
    '18446744073709551616',
    '""',
    'null',
    'true',
    '[]',
    '{}',
  ],
];
const raw = (literal: string) => `@@${literal}@@`;
const powers = [0, 1, 10, 100, 1_000, 10_000, 100_000];
const times = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index));
const scraps = [
  'a',
  '1',
  ' ',
  '!',
  '\n',
  'word ',
  '<|im_end|>',
  '<|im_start|>system\n',
  '😀',
  '漢',
  '\u0000',
  '\ue000',
  '"',
  '\\',
  '{',
  '\ud800',
];

const numericFields = [
  ...['temperature', 'top_p', 'top_k', 'min_p', 'n', 'seed', 'presence_penalty', 'frequency_penalty'],
  ...[
    'repetition_penalty',
    'min_tokens',
    'max_tokens',
    'top_logprobs',
    'logprobs',
    'best_of',
    'dimensions',
    'top_n',
  ],
];

const number: Change = (random, body) => {
  const field = random.pick(numericFields);
  const value = random.pick(extremes);
  body[field] = raw(value);
  return `${field} ${value}`;
};

const text = (random: Random) => random.pick(scraps).repeat(random.pick(powers));

const stop: Change = (random, body) => {
  const count = random.pick(powers.slice(0, 5));
  body.stop = times(count, () => text(random).slice(0, 2_000));
  return `${count} stop texts`;
};

const bias: Change = (random, body) => {
  const count = random.pick(powers);
  const step = random.pick([1, 7, 10 ** 9]);
  body.logit_bias = Object.fromEntries(
    times(count, (index) => [index * step, random.pick([-100, 100, 0, 1e-40])]),
  );
  return `${count} logit biases`;
};

const switches: Change = (random, body) => {
  const field = random.pick([
    'stream',
    'logprobs',
    'echo',
    'ignore_eos',
    'add_generation_prompt',
    'parallel_tool_calls',
  ]);
  body[field] = random.chance(0.8) ? random.chance(0.5) : raw(random.pick(extremes));
  return `${field} ${body[field]}`;
};

const messages: Change = (random, body) => {
  const count = random.pick(powers);
  const content = count > 1_000 ? '' : text(random).slice(0, 2_000_000 / (count + 1));
  const role = random.pick(['user', 'assistant', 'system', 'tool', 'developer', 'robot']);
  body.messages = times(count, () => ({ role, content, tool_call_id: 'x' }));
  return `${count} messages of ${content.length} characters by ${role}`;
};

const parts: Change = (random, body) => {
  const count = random.pick(powers);
  body.messages = [{ role: 'user', content: times(count, () => ({ type: 'text', text: 'a' })) }];
  return `${count} content parts`;
};

const history: Change = (random, body) => {
  const depth = random.pick(powers.slice(0, 6));
  const call = {
    id: 'c',
    type: 'function',
    function: { name: 'f', arguments: '['.repeat(depth) + ']'.repeat(depth) },
  };
  body.messages = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: null, tool_calls: times(random.pick([1, 10, 1_000]), () => call) },
    { role: 'tool', tool_call_id: 'c', content: 'done' },
  ];
  return `calls with arguments ${depth} deep`;
};

const tools: Change = (random, body) => {
  const count = random.pick([1, 2, 128, 129, 1_000]);
  const schema = random.chance(0.5) ? hostileSchema(random) : { title: 'none', schema: {} };
  body.tools = times(count, (index) => ({
    type: 'function',
    function: { name: `f${index}`, parameters: schema.schema },
  }));
  const named = { type: 'function', function: { name: 'f0' } };
  const allowed = {
    type: 'allowed_tools',
    allowed_tools: { mode: random.pick(['auto', 'required']), tools: [named] },
  };
  body.tool_choice = random.pick(['auto', 'none', 'required', named, allowed, raw(random.pick(extremes))]);
  body.parallel_tool_calls = random.chance(0.5);
  return `${count} tools of ${schema.title}`;
};

const format: Change = (random, body) => {
  const { title, schema } = hostileSchema(random);
  body.response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };
  return `a schema of ${title}`;
};

const template: Change = (random, body) => {
  body.chat_template_kwargs = random.pick<unknown>([
    { messages: 1, tools: 'x', bos_token: 'y'.repeat(100_000) },
    { add_generation_prompt: {}, strftime_now: 1, raise_exception: 'no' },
    Object.fromEntries(times(10_000, (index) => [`k${index}`, index])),
    [],
    'x',
  ]);
  return 'template arguments';
};

const deep: Change = (random, body) => {
  const depth = random.pick(powers.slice(0, 6));
  body.metadata = raw('['.repeat(depth) + ']'.repeat(depth));
  return `something nested ${depth} deep`;
};

const inputs =
  (field: string): Change =>
  (random, body) => {
    const count = random.pick(powers);
    const value = random.pick<unknown>(['a', 1, [1], [], 1.5, -1, null, { text: 'a' }, '', [99_999]]);
    body[field] = random.chance(0.3) ? text(random) : times(count, () => value);
    return `${field}: ${count} times ${JSON.stringify(value)}`;
  };

const common = [number, number, number, stop, bias, switches, deep];
const chat = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 6, temperature: 1 };
const endpoints: [string, Body, Change[]][] = [
  [
    '/v1/chat/completions',
    chat,
    [...common, messages, parts, history, tools, tools, format, format, template],
  ],
  ['/v1/chat/completions', chat, [...common, tools, format, format]],
  ['/v1/completions', { prompt: 'hello', max_tokens: 6 }, [...common, inputs('prompt')]],
  ['/v1/embeddings', { input: 'hello' }, [number, deep, inputs('input')]],
  ['/v1/rerank', { query: 'hello', documents: ['a'] }, [number, deep, inputs('documents'), inputs('query')]],
  ['/tokenize', { prompt: 'hello' }, [deep, inputs('prompt'), messages]],
  ['/detokenize', { tokens: [1, 2] }, [deep, inputs('tokens')]],
];

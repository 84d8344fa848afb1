import type { Random } from '../random.ts';
import { rawPost } from './raw-caller.ts';

const paths = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/rerank',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/chat/completions?x=%00',
  '/v1/embeddings/',
];
const fields = ['messages', 'prompt', 'input', 'query', 'documents', 'tools', 'tool_choice', 'stream'].concat(
  [
    'temperature',
    'max_tokens',
    'max_completion_tokens',
    'voice',
    'encoding_format',
    'return_documents',
    'top_n',
  ],
);
const names = [
  'mock',
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '',
  ' ',
  '../../etc',
].concat(['\\ud800', '\\u0000', '\u202e', 'x'.repeat(10_000), "'; drop table pods; --", '\\"', '𝔪𝔬𝔠𝔨']);
const scalars = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e308',
  '1e999',
  '-1e999',
  '5e-324',
].concat([
  '9007199254740993',
  '2147483648',
  '4294967296',
  '1e21',
  '""',
  '"x"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '[]',
  '{}',
]);
const headers = [
  'connection: close',
  'content-type: text/plain',
  'content-type: application/json; charset=utf-16',
  'content-encoding: gzip',
  'x-request-id: \x80\xff',
  `x-request-id: ${'r'.repeat(5000)}`,
  'x-request-timeout: 0',
  'x-request-timeout: 1e999',
  'x-request-timeout: 0.001',
  'authorization: Bearer __proto__',
  `authorization: ${'a'.repeat(8000)}`,
  'traceparent: 00-zz-zz-zz',
  'expect: 100-continue',
  'transfer-encoding: chunked',
  'content-length: 3',
  'constructor: x',
  '__proto__: x',
  'origin: null',
];

const required: readonly (readonly [path: string, members: readonly string[]])[] = [
  ['/v1/chat', ['"messages":[{"role":"user","content":"x"}]']],
  ['/v1/completions', ['"prompt":"x"']],
  ['/v1/embeddings', ['"input":["x"]']],
  ['/v1/rerank', ['"query":"x"', '"documents":["x"]']],
  ['/v1/audio/speech', ['"input":"x"']],
];

/** A request of bytes that no ordinary client sends. */
export function hostileRequest(random: Random): { path: string; bytes: Buffer } {
  const path = random.pick(paths);
  const more = random.below(3) === 0 ? [random.pick(headers), random.pick(headers)] : [];
  const isForm = path.includes('transcriptions') ? random.below(4) > 0 : random.below(20) === 0;
  if (isForm) return { path, bytes: formRequest(random, path, more) };
  return { path, bytes: rawPost(path, Buffer.from(jsonBody(random, path)), more) };
}

function jsonBody(random: Random, path: string): string {
  const kind = random.below(12);
  if (kind === 0) return random.pick(scalars);
  if (kind === 1) return nested(random);
  const members = [`"model":"${random.below(3) > 0 ? 'mock' : random.pick(names)}"`];
  // Mostly what the endpoint requires, so that the request gets as far as a pod.
  if (random.below(4) > 0) members.push(...(required.find(([start]) => path.startsWith(start))?.[1] ?? []));
  for (let count = random.below(4); count > 0; count--) {
    members.push(`"${random.below(6) > 0 ? random.pick(fields) : random.pick(names)}":${value(random)}`);
  }
  const body = `{${members.join(',')}}`;
  if (kind === 2) return body.slice(0, random.below(body.length));
  if (kind === 3) return body.replace(':', random.pick([',', '::', '\u0000', ':[']));
  return body;
}

function value(random: Random): string {
  switch (random.below(6)) {
    case 0:
      return nested(random);
    case 1:
      return repeated(random, random.pick(scalars));
    case 2:
      return repeated(
        random,
        random.pick(['"x"', '1', '[1]', '{"text":"x"}', '{"role":"user","content":"x"}']),
      );
    case 3:
      return `"${'x'.repeat(10 ** random.below(7))}"`;
    case 4:
      return `{"${random.pick(names)}":${random.pick(scalars)}}`;
    default:
      return random.pick(scalars);
  }
}

/** An array of one, ten, a hundred, up to a million of the same. */
function repeated(random: Random, item: string): string {
  const count = 10 ** random.below(7);
  return `[${`${item},`.repeat(count - 1)}${item}]`;
}

function nested(random: Random): string {
  const depth = 10 ** random.below(6);
  const [open, close] = random.below(2) === 0 ? ['[', ']'] : ['{"a":', '}'];
  return `${open.repeat(depth)}1${random.below(4) > 0 ? close.repeat(depth) : ''}`;
}

function formRequest(random: Random, path: string, more: string[]): Buffer {
  const boundary = random.pick(['b', 'x'.repeat(300), 'a b', '--', 'ü']);
  const parts = Array.from({ length: random.below(6) }, () => formPart(random));
  const body = `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}${random.pick(['--\r\n', ''])}`;
  const types = [
    `multipart/form-data; boundary=${boundary}`,
    'multipart/form-data',
    'multipart/form-data; boundary=',
  ];
  const type = random.below(6) > 0 ? (types[0] as string) : random.pick(types);
  const head = [`POST ${path} HTTP/1.1`, 'host: x', `content-type: ${type}`, ...more];
  head.push(`content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function formPart(random: Random): string {
  const name = random.below(3) > 0 ? random.pick(['model', 'file']) : random.pick(names);
  const lines = [
    `content-disposition: form-data; name="${name}"`,
    `content-disposition: form-data; name=${name}; filename="${random.pick(names)}"`,
    'content-disposition: attachment',
    'x: y',
    '',
  ];
  const content = random.below(3) > 0 ? random.pick(names) : 'x'.repeat(10 ** random.below(7));
  return `${random.pick(lines)}\r\n${random.pick(['\r\n', '', '\n'])}${content}`;
}

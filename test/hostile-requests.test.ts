import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RawCaller } from './testkit/attacks/raw-caller.ts';
import { type RunningPlatform, startPlatform } from './testkit/platform.ts';

const token = `rh-${'h'.repeat(40)}`;
const folder = join(import.meta.dirname, '../docs/openapi');

interface Operation {
  method: string;
  path: string;
  query: string[];
}

const operations: Operation[] = readdirSync(folder).flatMap((file) => {
  const { paths } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
    paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // It answers for ever.
      .filter(() => path !== '/api/v1/events')
      .map(([method, { parameters = [] }]) => ({
        method: method.toUpperCase(),
        path,
        query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
      })),
  );
});

/** As they stand in a path or a query. */
const values = [
  '%ED%A0%80',
  '%00',
  '%E0%A4%A',
  '%zz',
  '..%2f..%2fetc',
  '%F0%9F%98%80',
  '%EF%BF%BE%0A',
  "'%22%3B--",
  '1e999',
  '-1',
  '99999999999999999999',
  'x'.repeat(400),
  'x'.repeat(3000),
  '__proto__',
];

const deep = (depth: number) => `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`;
const named = (value: string) =>
  `{${['model', 'model_id', 'name', 'pod_id', 'prompt', 'input', 'query', 'messages', 'tools', 'documents', 'scopes', 'limits', 'base_model_id', 'dataset_id', 'path', 'repo', 'adapter_ids', 'dtype', 'expires_at', 'email', 'stream', 'max_tokens'].map((name) => `"${name}":${value}`).join(',')}}`;
const tools = `{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"f","parameters":${deep(3000)}}}]}`;
const json = 'application/json';
const form = 'multipart/form-data; boundary=b';
const bodies: [type: string, body: string][] = [
  [json, '{'],
  [json, '\u0000'],
  [json, 'null'],
  [json, '[]'],
  [json, '"\\ud800"'],
  [json, deep(20_000)],
  [json, tools],
  [json, '{"__proto__":{"model":"m"},"constructor":1}'],
  ...['"\\u0000"', '"\\ud800"', '"../../x"', '1e999', '-1', 'null', '{}', '[[]]', '["\\udc00"]', '"@:"'].map(
    (value): [string, string] => [json, named(value)],
  ),
  ['application/json; charset=utf-16', '{}'],
  ['text/plain', 'x'],
  ['/', 'x'],
  ['multipart/form-data', 'x'],
  ['multipart/form-data; boundary=', 'x'],
  [form, 'x'],
  [form, '--b\r\n'],
  [form, '--b--\r\n'],
  [form, '--b\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n{"mess'],
  [form, '--b\r\ncontent-disposition: form-data; name="file"; filename="%ED%A0%80"\r\n\r\nx\r\n--b--\r\n'],
  [
    form,
    `--b\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n${deep(3000)}\r\n--b--\r\n`,
  ],
  [form, '--b\r\ncontent-disposition: form-data; name="__proto__"\r\n\r\nx\r\n--b--\r\n'],
  [form, `--b\r\ncontent-disposition: form-data; name="file"\r\n\r\nx\r\n--b--\r\n`],
  [form, `--b\r\n${'x'.repeat(100_000)}\r\n\r\nx\r\n--b--\r\n`],
];

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await startPlatform({ env: { ROUNDHOUSE_ADMIN_TOKEN: token } });
});
afterAll(() => platform.stop());

async function statusOf(method: string, target: string, type?: string, body = ''): Promise<number> {
  const head = [
    `${method} ${target} HTTP/1.1`,
    'host: localhost',
    `authorization: ${token}`,
    'connection: close',
  ];
  if (type !== undefined) head.push(`content-type: ${type}`, `content-length: ${Buffer.byteLength(body)}`);
  const caller = new RawCaller(platform.url).send(`${head.join('\r\n')}\r\n\r\n`, body);
  const answer = await caller.answer();
  caller.destroy();
  return answer?.status ?? 0;
}

/** A fault of ours, or no answer at all. */
const isFault = (status: number) => status === 500 || status === 0;

it('no hostile path or query makes a fault of ours', async () => {
  const faults: string[] = [];
  for (const { method, path, query } of operations) {
    for (const value of values) {
      const targets = path.includes('{') ? [path.replaceAll(/\{[^}]+\}/g, value)] : [];
      const filled = path.replaceAll(/\{[^}]+\}/g, 'x');
      targets.push(`${filled}?${[...query, 'other'].map((name) => `${name}=${value}`).join('&')}`);
      for (const target of targets) {
        if (isFault(await statusOf(method, target))) faults.push(`${method} ${target.slice(0, 100)}`);
      }
    }
  }
  expect(faults).toEqual([]);
});

it('no hostile body makes a fault of ours', async () => {
  const faults: string[] = [];
  for (const { method, path } of operations.filter(
    (operation) => !['GET', 'HEAD'].includes(operation.method),
  )) {
    const target = path.replaceAll(/\{[^}]+\}/g, 'x');
    for (const [type, body] of bodies) {
      if (isFault(await statusOf(method, target, type, body)))
        faults.push(`${method} ${target} ${type} ${body.slice(0, 60)}`);
    }
  }
  expect(faults).toEqual([]);
});

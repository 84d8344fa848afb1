import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltTestApp, buildTestApp } from '../../../test/testkit/app.ts';
import type { Dataset, DatasetPreview } from '../../contracts/management/datasets.ts';
import { managementService } from '../management-service.ts';
import { datasetKey } from './dataset-record.ts';

let test: BuiltTestApp;
let address: string;
beforeEach(async () => {
  test = await buildTestApp((deps) => [managementService(deps)]);
  address = await test.app.listen({ port: 0 });
});
afterEach(() => test.close());

const line = (answer: string) =>
  JSON.stringify({
    messages: [
      { role: 'user', content: 'Как дела?' },
      { role: 'assistant', content: answer },
    ],
  });

async function upload(content: string | Uint8Array<ArrayBuffer>, name = 'беседы.jsonl', field = 'file') {
  const form = new FormData();
  form.append(field, new Blob([content]), name);
  const answer = await fetch(`${address}/api/v1/datasets/upload/?description=проба`, {
    method: 'POST',
    body: form,
  });
  // biome-ignore lint/suspicious/noExplicitAny: each test checks the shape that it expects
  return { status: answer.status, body: (await answer.json()) as any };
}
const get = (path: string) => fetch(`${address}/api/v1/datasets/${path}`);
const stored = async () => {
  const keys: string[] = [];
  for await (const blob of test.deps.blobs.list('')) keys.push(blob.key);
  return keys;
};

describe('POST /api/v1/datasets/upload/', () => {
  it('200: stored byte for byte, listed, and downloaded unchanged', async () => {
    const content = `\uFEFF${line('хорошо')}\r\n\n${line('отлично')}`;
    const { status, body } = await upload(content);
    expect([status, body]).toEqual([
      200,
      {
        id: expect.any(String),
        name: 'беседы.jsonl',
        s3_path: `s3://roundhouse/datasets/${body.id}/беседы.jsonl`,
        description: 'проба',
        examples: 2,
        bytes: Buffer.byteLength(content),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        created_at: expect.any(String),
      },
    ]);
    expect(((await (await get('')).json()) as Dataset[]).map((dataset) => dataset.id)).toEqual([body.id]);
    const file = await get(`${body.id}/`);
    expect(file.headers.get('content-disposition')).toContain(encodeURIComponent('беседы.jsonl'));
    expect(Buffer.from(await file.arrayBuffer()).toString()).toBe(content);
  });

  it('recognises the other common formats', async () => {
    const lines = [
      {
        conversations: [
          { from: 'human', value: 'a' },
          { from: 'gpt', value: 'b' },
        ],
      },
      { prompt: 'a', completion: 'b' },
      { instruction: 'a', input: 'x', output: 'b' },
    ];
    const { body } = await upload(lines.map((value) => JSON.stringify(value)).join('\n'));
    const preview = (await (await get(`${body.id}/preview/`)).json()) as DatasetPreview;
    expect(preview).toMatchObject({ count: 3, model_id: null });
    expect(preview.examples.map((example) => example.messages)).toEqual([
      [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
      ],
      [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
      ],
      [
        { role: 'user', content: 'a\n\nx' },
        { role: 'assistant', content: 'b' },
      ],
    ]);
  });

  it('422 lists the first ten bad lines with reasons, and stores nothing', async () => {
    const bad = [
      '{"messages": [',
      '[]',
      '{"text": "x"}',
      '{"messages": [{"role": "user", "content": "no answer"}]}',
      '{"messages": [{"role": "poet", "content": "x"}]}',
    ];
    const { status, body } = await upload(
      [line('ok'), ...bad, ...Array.from({ length: 20 }, () => '5')].join('\n'),
    );
    expect(status).toBe(422);
    expect(body.detail).toHaveLength(11);
    expect(body.detail[0]).toMatchObject({
      loc: ['body', 'file', 'line 2'],
      msg: expect.stringContaining('not valid JSON'),
    });
    expect(body.detail[3]).toMatchObject({
      loc: ['body', 'file', 'line 5'],
      msg: 'no assistant message to learn from',
    });
    expect(body.detail[10].msg).toBe('and 15 more lines');
    expect([await stored(), await (await get('')).json()]).toEqual([[], []]);
  });

  it('422 an empty file, one that is not text, another field; 413 too large; 415 no form', async () => {
    expect((await upload('')).body.detail[0].msg).toBe('the file contains no conversations');
    expect((await upload(`[${line('x')},\n${line('y')}]`)).body.detail).toEqual([
      { loc: ['body', 'file'], msg: expect.stringContaining('is a JSON array'), type: 'value_error' },
    ]);
    expect((await upload(new Uint8Array([0xff, 0xfe, 0x0a, 0x80]))).body.detail[0].msg).toBe(
      'not valid UTF-8 text',
    );
    expect(await upload(line('x'), 'a.jsonl', 'files')).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'file'], type: 'missing' }] },
    });
    expect((await upload(`${line('x'.repeat(2 ** 20))}\n`)).status).toBe(413);
    const json = await fetch(`${address}/api/v1/datasets/upload/`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(json.status).toBe(415);
    expect(await stored()).toEqual([]);
  });

  it('keeps only the last part of a name with a path', async () => {
    expect((await upload(line('x'), '../../etc/данные.jsonl')).body.name).toBe('данные.jsonl');
  });
});

describe('DELETE /api/v1/datasets/{dataset_id}/', () => {
  it('200 and the file is deleted; 409 while a run uses it; 404 unknown', async () => {
    const { body } = await upload(line('x'));
    const remove = () => fetch(`${address}/api/v1/datasets/${body.id}/`, { method: 'DELETE' });
    const run = await test.deps.queue.enqueue({
      kind: 'FINETUNE',
      name: 'FT_m_d',
      exclusiveKeys: [datasetKey(body.id)],
    });
    expect((await remove()).status).toBe(409);
    await test.deps.queue.cancel(run.id);
    expect((await remove()).status).toBe(200);
    expect([await stored(), (await get(`${body.id}/`)).status, (await remove()).status]).toEqual([
      [],
      404,
      404,
    ]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { answerJson, type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';

interface Refusal {
  detail: { loc: (string | number)[]; msg: string; type: string }[];
}

describe('requests with long lists', () => {
  let dispatcher: RunningDispatcher;
  let pod: MockPod;

  beforeAll(async () => {
    dispatcher = await startDispatcher();
    pod = await startMockPod(answerJson({ object: 'list', data: [] }));
    for (const task of ['llm', 'embeddings', 'rerank'] as const) {
      await dispatcher.report({ pod_id: task, task, model_name: task, pod_address: pod.url });
    }
  });
  afterAll(async () => {
    await dispatcher.close();
    await pod.kill();
  });

  const post = (path: string, body: string) =>
    fetch(dispatcher.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const refused = async (path: string, body: string) => {
    const response = await post(path, body);
    const text = await response.text();
    expect(response.status).toBe(422);
    expect(text.length).toBeLessThan(2000);
    const [issue] = (JSON.parse(text) as Refusal).detail;
    return [issue?.loc.join('.'), issue?.type];
  };
  /** An item many times over, as the inside of an array. */
  const times = (item: string, count: number) => `${`${item},`.repeat(count - 1)}${item}`;

  it('422 for 15 million token ids', async () => {
    const body = `{"model":"embeddings","input":[${times('1', 15_000_000)}]}`;
    expect(await refused('/v1/embeddings', body)).toEqual(['body.input', 'too_long']);
  });

  it('422 for millions of documents that are numbers', async () => {
    const body = `{"model":"rerank","query":"q","documents":[${times('1', 3_000_000)}]}`;
    expect(await refused('/v1/rerank', body)).toEqual(['body.documents', 'too_long']);
    const fewer = `{"model":"rerank","query":"q","documents":[${times('1', 9_000)}]}`;
    expect(await refused('/v1/rerank', fewer)).toEqual(['body.documents.0', 'string_type']);
  });

  it.each([
    ['/v1/embeddings', { input: ['a', 1] }, 'body.input.1', 'string_type'],
    ['/v1/embeddings', { input: [1, 'a'] }, 'body.input.1', 'int_type'],
    ['/v1/embeddings', { input: [1, -1] }, 'body.input.1', 'greater_than_equal'],
    ['/v1/embeddings', { input: [1, 1.5] }, 'body.input.1', 'int_type'],
    ['/v1/embeddings', { input: [[1], 2] }, 'body.input.1', 'list_type'],
    ['/v1/embeddings', { input: [[1], []] }, 'body.input.1', 'too_short'],
    ['/v1/embeddings', { input: [[1], [2, null]] }, 'body.input.1.1', 'int_type'],
    ['/v1/embeddings', { input: [] }, 'body.input', 'too_short'],
    ['/v1/embeddings', { input: [null] }, 'body.input.0', 'string_type'],
    ['/v1/completions', { model: 'llm', prompt: [{}] }, 'body.prompt.0', 'string_type'],
    [
      '/v1/rerank',
      { model: 'rerank', query: 'q', documents: [{ text: 1 }] },
      'body.documents.0.text',
      'string_type',
    ],
    ['/v1/rerank', { model: 'rerank', query: 'q', documents: ['a', {}] }, 'body.documents.1.text', 'missing'],
    ['/v1/chat/completions', { model: 'llm', messages: [{}, 1] }, 'body.messages.1', 'model_attributes_type'],
    [
      '/v1/chat/completions',
      { model: 'llm', messages: [], tools: [[]] },
      'body.tools.0',
      'model_attributes_type',
    ],
  ])('422 at the first fault of a list: %s %j', async (path, body, loc, type) => {
    expect(await refused(path, JSON.stringify({ model: 'embeddings', ...body }))).toEqual([loc, type]);
  });

  it.each([
    ['/v1/embeddings', { input: Array.from({ length: 5000 }, () => 'a') }],
    ['/v1/embeddings', { input: [1, 2, 3], encoding_format: 'float' }],
    ['/v1/embeddings', { input: [[1, 2], [3]], encoding_format: null }],
    ['/v1/completions', { model: 'llm', prompt: ['a', 'b'], tool_choice: {} }],
    ['/v1/chat/completions', { model: 'llm', messages: [{}], tools: [{}], tool_choice: {} }],
    ['/v1/rerank', { model: 'rerank', query: 'q', documents: ['a', { text: 'b' }] }],
  ])('200 for %s', async (path, body) => {
    const response = await post(path, JSON.stringify({ model: 'embeddings', ...body }));
    expect(response.status, await response.text()).toBe(200);
  });

  it('an answer repeats no more than the beginning of a long name', async () => {
    const response = await post('/v1/completions', `{"model":"${'x'.repeat(1_000_000)}","prompt":"a"}`);
    expect(response.status).toBe(404);
    expect((await response.text()).length).toBeLessThan(1000);
  });
});

import { describe, expect, it } from 'vitest';
import { ChatCompletionChunk, ChatCompletionResponse } from './chat/chat-response.ts';
import { CompletionRequest, CompletionResponse } from './completions.ts';
import { EmbeddingRequest, EmbeddingResponse } from './embeddings.ts';
import { RerankRequest, RerankResponse } from './rerank.ts';

const usage = { prompt_tokens: 3, total_tokens: 5, completion_tokens: 2 };
const envelope = { id: 'x', created: 1_700_000_000, model: 'm' };

describe('CompletionRequest', () => {
  const request = { model: 'm', prompt: 'Once' };
  const pathOf = (changes: object) =>
    CompletionRequest.safeParse({ ...request, ...changes }).error?.issues[0]?.path.join('.');

  it.each([
    [{ echo: true, logprobs: 1, max_tokens: 0 }],
    [{ suffix: null }],
    [{ suffix: '' }],
    [{ best_of: 1 }],
    [{ best_of: 3, n: 3 }],
    [{ prompt: [[1, 2]] }],
  ])('takes %j', (changes) => {
    expect(pathOf(changes)).toBeUndefined();
  });

  it.each([
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: -1, echo: true }, 'max_tokens'],
    [{ suffix: 'end' }, 'suffix'],
    [{ best_of: 3 }, 'best_of'],
    [{ logprobs: true }, 'logprobs'],
    [{ logprobs: 21 }, 'logprobs'],
    [{ n: 0 }, 'n'],
    [{ prompt: [] }, 'prompt'],
    [{ stream_options: {} }, 'stream_options'],
    [{ min_tokens: 6, max_tokens: 5 }, 'min_tokens'],
  ])('refuses %j at %s', (changes, path) => {
    expect(pathOf(changes)).toBe(path);
  });
});

describe('EmbeddingRequest', () => {
  it('reads null as not given', () => {
    const nulls = { encoding_format: null, dimensions: null, user: null };
    expect(EmbeddingRequest.safeParse({ model: 'm', input: 'x', ...nulls }).success).toBe(true);
  });

  it('answers in floats unless asked', () => {
    expect(EmbeddingRequest.parse({ model: 'm', input: 'кот' }).encoding_format).toBe('float');
  });

  it.each([
    [{ encoding_format: 'hex' }, 'encoding_format'],
    [{ dimensions: 0 }, 'dimensions'],
    [{ input: [] }, 'input'],
    [{ input: [['a']] }, 'input.0.0'],
    [{ input: ['a', 1] }, 'input.1'],
    [{ input: Array.from({ length: 2_049 }, () => 'a') }, 'input'],
    [{ input: Array.from({ length: 2 ** 20 + 1 }, () => 1) }, 'input'],
  ])('refuses %j', (changes, path) => {
    const { error } = EmbeddingRequest.safeParse({ model: 'm', input: 'x', ...changes });
    expect(error?.issues[0]?.path.join('.')).toBe(path);
  });
});

describe('RerankRequest', () => {
  it.each([
    [{ documents: [] }, 'documents'],
    [{ documents: [1] }, 'documents.0'],
    [{ query: '' }, 'query'],
    [{ top_n: 0 }, 'top_n'],
    [{ return_documents: 'yes' }, 'return_documents'],
  ])('refuses %j', (changes, path) => {
    const { error } = RerankRequest.safeParse({ model: 'm', query: 'q', documents: ['d'], ...changes });
    expect(error?.issues[0]?.path.join('.')).toBe(path);
  });
});

describe('answers in the shapes of the specification', () => {
  it('a completion', () => {
    const choice = { index: 0, text: ' upon', logprobs: null, finish_reason: 'length', stop_reason: null };
    const answer = { ...envelope, object: 'text_completion', choices: [choice], usage };
    expect(CompletionResponse.parse(answer)).toEqual(answer);
  });

  it('a chat completion', () => {
    const message = { role: 'assistant', content: 'Здравствуйте!' };
    const choice = { index: 0, message, logprobs: null, finish_reason: 'stop', stop_reason: null };
    const answer = { ...envelope, object: 'chat.completion', choices: [choice], usage };
    expect(ChatCompletionResponse.parse(answer)).toEqual(answer);
  });

  it('embeddings, as numbers and as base64', () => {
    for (const embedding of [[0.5, -1], 'AAAAPwAAgL8=']) {
      const data = [{ index: 0, object: 'embedding', embedding }];
      const answer = { ...envelope, object: 'list', data, usage: { ...usage, completion_tokens: 0 } };
      expect(EmbeddingResponse.parse(answer)).toEqual(answer);
    }
  });

  it('a ranking', () => {
    const results = [{ index: 1, relevance_score: 0.9, document: { text: 'кошка' } }];
    expect(RerankResponse.parse({ id: 'x', model: 'm', results, usage }).results).toEqual(results);
  });

  it('the chunks of a stream, from the role to the usage', () => {
    const chunk = (delta: object, finish_reason: string | null) => ({
      ...envelope,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    });
    const toolCall = { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } };
    for (const event of [
      chunk({ role: 'assistant', content: '' }, null),
      chunk({ content: 'При' }, null),
      chunk({ tool_calls: [toolCall] }, null),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{' } }] }, null),
      chunk({}, 'stop'),
      { ...envelope, object: 'chat.completion.chunk', choices: [], usage },
    ]) {
      expect(ChatCompletionChunk.parse(event)).toEqual(event);
    }
  });
});

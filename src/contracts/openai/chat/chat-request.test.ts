import { describe, expect, it } from 'vitest';
import { ChatRequest } from './chat-request.ts';

const request = { model: 'm', messages: [{ role: 'user', content: 'Привет' }] };
const tool = { type: 'function', function: { name: 'get_weather', parameters: {} } };

const firstIssue = (changes: object) => ChatRequest.safeParse({ ...request, ...changes }).error?.issues[0];

describe('ChatRequest', () => {
  it('takes everything a full request may carry, and keeps what it does not know', () => {
    const full = {
      ...request,
      temperature: 2,
      top_p: 0.9,
      max_completion_tokens: 1,
      n: 2,
      seed: -5,
      stop: ['\n', '</s>'],
      presence_penalty: -2,
      frequency_penalty: 2,
      logit_bias: { '50256': -100 },
      logprobs: true,
      top_logprobs: 20,
      tools: [tool],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: 'low',
    };
    expect(ChatRequest.parse(full)).toEqual(full);
  });

  it('takes a choice of some of the tools', () => {
    const choice = (mode: string, name: string) => ({
      type: 'allowed_tools',
      allowed_tools: { mode, tools: [{ type: 'function', function: { name } }] },
    });
    expect(firstIssue({ tools: [tool], tool_choice: choice('auto', 'get_weather') })).toBeUndefined();
    expect(firstIssue({ tools: [tool], tool_choice: choice('required', 'get_weather') })).toBeUndefined();
    expect(firstIssue({ tools: [tool], tool_choice: choice('auto', 'other') })?.path).toEqual([
      'tool_choice',
    ]);
    expect(firstIssue({ tool_choice: choice('required', 'get_weather') })?.path).toEqual(['tool_choice']);
    expect(firstIssue({ tools: [tool], tool_choice: choice('never', 'get_weather') })?.path[0]).toBe(
      'tool_choice',
    );
  });

  it('reads null as not given, as clients send it', () => {
    const nulls = Object.fromEntries(
      Object.keys(ChatRequest.shape)
        .filter((field) => !(field in request))
        .map((field) => [field, null]),
    );
    expect(firstIssue(nulls)).toBeUndefined();
  });

  it.each([
    [{ model: '' }, 'model'],
    [{ messages: [] }, 'messages'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: -1 }, 'max_tokens'],
    [{ max_completion_tokens: 0 }, 'max_completion_tokens'],
    [{ temperature: 2.1 }, 'temperature'],
    [{ temperature: -0.1 }, 'temperature'],
    [{ top_p: 1.1 }, 'top_p'],
    [{ n: 0 }, 'n'],
    [{ n: 129 }, 'n'],
    [{ presence_penalty: 2.5 }, 'presence_penalty'],
    [{ frequency_penalty: -3 }, 'frequency_penalty'],
    [{ seed: 0.5 }, 'seed'],
    [{ seed: 1e300 }, 'seed'],
    [{ temperature: Number.POSITIVE_INFINITY }, 'temperature'],
    [{ temperature: Number.NaN }, 'temperature'],
    [{ repetition_penalty: 1e-38 }, 'repetition_penalty'],
    [{ repetition_penalty: 1e308 }, 'repetition_penalty'],
    [{ max_tokens: 1e308 }, 'max_tokens'],
    [{ top_k: 1e308 }, 'top_k'],
    [{ messages: Array.from({ length: 16_385 }, () => request.messages[0]) }, 'messages'],
    [{ tools: Array.from({ length: 129 }, () => tool) }, 'tools'],
    [{ stop: 'x'.repeat(257) }, 'stop'],
    [{ logit_bias: Object.fromEntries(Array.from({ length: 1_025 }, (_, id) => [id, 1])) }, 'logit_bias'],
    [{ stop: '' }, 'stop'],
    [{ stop: Array.from({ length: 17 }, String) }, 'stop'],
    [{ logit_bias: { the: 1 } }, 'logit_bias.the'],
    [{ logit_bias: { 5: 101 } }, 'logit_bias.5'],
    [{ top_logprobs: 3 }, 'top_logprobs'],
    [{ logprobs: true, top_logprobs: 21 }, 'top_logprobs'],
    [{ stream_options: { include_usage: true } }, 'stream_options'],
    [{ min_tokens: -1 }, 'min_tokens'],
    [{ min_tokens: 6, max_completion_tokens: 5 }, 'min_tokens'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ tool_choice: 'always', tools: [tool] }, 'tool_choice'],
    [{ tool_choice: { type: 'function', function: { name: 'other' } }, tools: [tool] }, 'tool_choice'],
    [{ tools: [{ type: 'function', function: { name: 'two words' } }] }, 'tools.0.function.name'],
    [{ response_format: { type: 'xml' } }, 'response_format.type'],
    [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema'],
  ])('refuses %j at %s', (changes, path) => {
    const issue = firstIssue(changes);
    expect(issue?.path.join('.')).toBe(path);
    expect(issue?.message).not.toBe('Invalid input');
  });
});

describe('messages', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"город":"Омск"}' } };

  it.each([
    [{ role: 'system', content: 'Отвечай кратко' }],
    [{ role: 'developer', content: [{ type: 'text', text: 'be brief' }] }],
    [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }] }],
    [{ role: 'assistant', content: null, tool_calls: [call], audio: null }],
    [{ role: 'assistant', content: '' }],
    [{ role: 'tool', content: '+5 °C', tool_call_id: 'c1' }],
  ])('takes %j', (message) => {
    expect(ChatRequest.parse({ ...request, messages: [message] }).messages).toEqual([message]);
  });

  it.each([
    [{ role: 'robot', content: 'x' }, 'role'],
    [{ content: 'x' }, 'role'],
    [{ role: 'user' }, 'content'],
    [{ role: 'user', content: null }, 'content'],
    [{ role: 'user', content: [] }, 'content'],
    [{ role: 'user', content: [{ type: 'text' }] }, 'content'],
    [{ role: 'user', content: [{ type: 'smell' }] }, 'content'],
    [{ role: 'assistant' }, 'content'],
    [{ role: 'tool', content: 'x' }, 'tool_call_id'],
  ])('refuses %j', (message, path) => {
    expect(firstIssue({ messages: [message] })?.path.join('.')).toBe(`messages.0.${path}`);
  });
});

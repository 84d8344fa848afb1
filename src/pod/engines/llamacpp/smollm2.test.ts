import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smolLm2 } from '../../../../test/testkit/models/smollm2.ts';
import { generated } from '../../../../test/testkit/pods/generation.ts';
import type { ChatMessage, GenerationRequest, LanguageEngine } from '../../engine.ts';
import { startLlamaCpp } from './engine.ts';

const model = await smolLm2();
const fixtures = join(import.meta.dirname, 'prompt', 'fixtures');
const read = (name: string) => JSON.parse(readFileSync(join(fixtures, name), 'utf8'));

describe.skipIf(!model.available)('SmolLM2', () => {
  let engine: LanguageEngine;
  beforeAll(async () => {
    engine = await startLlamaCpp({
      modelPath: model.path,
      gpu: false,
      threads: 1,
      contextLength: 2048,
      parallel: 2,
    });
  });
  afterAll(() => engine?.close());

  const system = { role: 'system', content: 'You are a helpful assistant.' };
  const ask = (content: string, request: Partial<GenerationRequest> = {}) =>
    generated(engine, {
      prompt: { kind: 'chat', messages: [system, { role: 'user', content }] },
      sampling: { temperature: 0 },
      maxTokens: 40,
      ...request,
    });

  it('answers, and counts as its tokenizer does', async () => {
    const answer = await ask('What is the capital of France?');
    expect(answer.text).toContain('Paris');
    expect(answer.reason).toBe('stop');
    const words = await engine.tokenize({ kind: 'text', text: answer.text });
    // The end of the answer is a token too.
    expect(answer.usage.completionTokens).toBe(words.length + 1);
  });

  const { tokens } = read('expected.json') as { tokens: Record<string, number[]> };
  const conversations = read('conversations.json') as Record<
    string,
    { messages: ChatMessage[]; add_generation_prompt?: boolean }
  >;
  it.each(Object.entries(tokens))('reads %s as the tokens of transformers', async (name, expected) => {
    const { messages, add_generation_prompt: addGenerationPrompt } = conversations[
      name
    ] as (typeof conversations)[string];
    expect(await engine.tokenize({ kind: 'chat', messages, addGenerationPrompt })).toEqual(expected);
  });

  it('prefers a true sentence to a false one, by its log-probabilities', async () => {
    const likelihood = async (text: string) => {
      const { promptLogprobs } = await generated(engine, {
        prompt: { kind: 'text', text },
        promptLogprobs: true,
        logprobs: 1,
        maxTokens: 0,
      });
      return promptLogprobs.reduce((total, { logprob }) => total + (logprob ?? 0), 0);
    };
    expect(await likelihood('The capital of France is Paris.')).toBeGreaterThan(
      await likelihood('The capital of France is potato.'),
    );
  });

  it('writes what a schema demands', async () => {
    const schema = {
      type: 'object',
      properties: {
        city: { type: 'string', maxLength: 20 },
        population: { type: 'integer' },
        capital: { type: 'boolean' },
      },
      required: ['city', 'population', 'capital'],
      additionalProperties: false,
    };
    const { text, reason } = await ask('Describe Paris as JSON.', {
      constraint: { kind: 'json-schema', schema },
      maxTokens: 100,
    });
    expect(reason).toBe('stop');
    expect(JSON.parse(text)).toEqual({
      city: expect.any(String),
      population: expect.any(Number),
      capital: expect.any(Boolean),
    });
  });

  it('calls the tool it must call, with arguments that fit', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters } }];
    const messages = [{ role: 'user', content: 'What is the weather in Paris?' }];
    const { calls, reason } = await generated(engine, {
      prompt: { kind: 'chat', messages, tools, toolChoice: 'required' },
      sampling: { temperature: 0 },
      maxTokens: 80,
    });
    expect(reason).toBe('tool_calls');
    expect(calls.map(({ name, arguments: given }) => [name, JSON.parse(given)])).toEqual([
      ['get_weather', { city: 'Paris' }],
    ]);
  });

  it('reuses what it evaluated in an earlier turn', async () => {
    const first = await ask('Name a colour.');
    const messages = [
      system,
      { role: 'user', content: 'Name a colour.' },
      { role: 'assistant', content: first.text },
      { role: 'user', content: 'Another.' },
    ];
    const second = await generated(engine, { prompt: { kind: 'chat', messages }, maxTokens: 1 });
    expect(second.usage.cachedTokens).toBeGreaterThanOrEqual(first.usage.promptTokens);
  });
});

import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { getLlama, type Llama, LlamaLogLevel } from 'node-llama-cpp';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { writeTinyAdapter, writeTinyModel } from '../../../../test/testkit/models/tiny-model.ts';
import { generated } from '../../../../test/testkit/pods/generation.ts';
import type { GenerationRequest, LanguageEngine } from '../../engine.ts';
import { startLlamaCpp } from './engine.ts';
import type { LlamaCppOptions } from './model/options.ts';

const folder = mkdtempSync(join(tmpdir(), 'llamacpp-'));
const file = (name: string) => join(folder, name);
const modelPath = file('tiny.gguf');
let llama: Llama;
let engine: LanguageEngine;

beforeAll(async () => {
  // Loaded once for all: the library tries its binary in a process of its own each time.
  llama = await getLlama({ build: 'never', gpu: false, maxThreads: 1, logLevel: LlamaLogLevel.disabled });
  writeTinyModel(modelPath, { contextLength: 4096 });
});
afterAll(async () => {
  await llama.dispose();
  rmSync(folder, { recursive: true });
});
afterEach(() => engine?.close());

const start = async (options: Partial<LlamaCppOptions> = {}) => {
  engine = await startLlamaCpp({
    modelPath,
    llama,
    parallel: 2,
    contextLength: 1024,
    ...options,
  });
};
const prompt = (length: number, from = 0) => ({
  kind: 'tokens' as const,
  tokens: Array.from({ length }, (_, index) => 33 + ((index * 7 + from) % 90)),
});
const ask = (request: Partial<GenerationRequest> = {}, signal?: AbortSignal) =>
  generated(engine, { prompt: prompt(8), sampling: { temperature: 0 }, maxTokens: 8, ...request }, signal);
const idle = () =>
  vi.waitFor(() => expect(engine.status()).toMatchObject({ running: 0, waiting: 0 }), 60_000);

describe('sequences', () => {
  it('keep what they evaluated for the next turn, which answers the same', async () => {
    await start();
    const first = await ask({ prompt: prompt(200), logprobs: 0 });
    expect(first.usage.cachedTokens).toBe(0);
    const history = [...prompt(200).tokens, ...first.logprobs.map(({ id }) => id), ...prompt(20, 3).tokens];
    const second = await ask({ prompt: { kind: 'tokens', tokens: history }, logprobs: 0 });
    expect(second.usage.cachedTokens).toBe(207);
    await engine.close();
    await start();
    const cold = await ask({ prompt: { kind: 'tokens', tokens: history }, logprobs: 0 });
    expect(cold.usage.cachedTokens).toBe(0);
    for (const [index, { logprob }] of cold.logprobs.entries())
      expect(second.logprobs[index]?.logprob).toBeCloseTo(logprob ?? 0, 2);
  });

  it('share the prompt of answers asked for together', async () => {
    await start({ parallel: 3 });
    const answers = await Promise.all(
      [1, 2, 3].map((seed) => ask({ prompt: prompt(300), sampling: { temperature: 1, seed } })),
    );
    expect(answers.map(({ usage }) => usage.cachedTokens)).toEqual([0, 299, 299]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(3);
  });

  it('serve more requests than there are of them, first come first served', async () => {
    await start();
    const finished: number[] = [];
    const all = [1, 2, 3, 4, 5, 6].map(async (number) => {
      const { usage } = await ask({ prompt: prompt(20, number), maxTokens: 200, ignoreEos: true });
      finished.push(number);
      return usage.completionTokens;
    });
    await vi.waitFor(() => expect(engine.status()).toMatchObject({ running: 2, waiting: 4 }), {
      timeout: 60_000,
      interval: 1,
    });
    expect(await Promise.all(all)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(finished.indexOf(1)).toBeLessThan(finished.indexOf(5));
    expect(engine.status()).toMatchObject({ running: 0, waiting: 0, parallel: 2 });
  });
});

describe('a client that goes away', () => {
  const gone = new Error('the client is gone');

  it('frees its sequence in the middle of a prompt, and the next request can use it', async () => {
    await start({ parallel: 1, contextLength: 4096 });
    const abort = new AbortController();
    const asked = ask({ prompt: prompt(4000) }, abort.signal);
    await vi.waitFor(() => expect(engine.status().kvCacheUsage).toBeGreaterThan(0), {
      timeout: 60_000,
      interval: 1,
    });
    abort.abort(gone);
    await expect(asked).rejects.toBe(gone);
    await idle();
    // It stopped on the way: what it had evaluated is less than the prompt, and is reused.
    const { usage } = await ask({ prompt: prompt(4000), maxTokens: 1 });
    expect(usage.cachedTokens).toBeGreaterThan(0);
    expect(usage.cachedTokens).toBeLessThan(3999);
  });

  it('frees it while it is answered', async () => {
    await start({ parallel: 1 });
    const abort = new AbortController();
    const events = engine.generate({ prompt: prompt(8), maxTokens: 1000, ignoreEos: true }, abort.signal);
    const reading = (async () => {
      for await (const event of events) if (event.kind === 'text') abort.abort(gone);
    })();
    await expect(reading).rejects.toBe(gone);
    await idle();
  });

  it('frees it by no longer reading', async () => {
    await start({ parallel: 1 });
    const stream = engine.generate(
      { prompt: prompt(8), maxTokens: 1000, ignoreEos: true },
      new AbortController().signal,
    );
    for await (const event of stream) if (event.kind === 'text') break;
    await idle();
    expect((await ask()).usage.completionTokens).toBe(8);
  });

  it('leaves the queue', async () => {
    await start({ parallel: 1 });
    const abort = new AbortController();
    const long = ask({ maxTokens: 800, ignoreEos: true });
    const waiting = ask({}, abort.signal);
    await setImmediate();
    expect(engine.status().waiting).toBe(1);
    abort.abort(gone);
    await expect(waiting).rejects.toBe(gone);
    expect(engine.status().waiting).toBe(0);
    expect((await long).usage.completionTokens).toBe(800);
  });
});

describe('adapters', () => {
  beforeAll(() => {
    for (const seed of [1, 2, 3]) writeTinyAdapter(file(`adapter-${seed}.gguf`), { seed });
    writeTinyAdapter(file('narrow.gguf'), { width: 32 });
    writeTinyAdapter(file('other.gguf'), { architecture: 'qwen2' });
  });
  const adapters = {
    one: file('adapter-1.gguf'),
    two: file('adapter-2.gguf'),
    three: file('adapter-3.gguf'),
  };

  it('answer side by side, each as if alone, and leave the base as it is', async () => {
    await start({ adapters });
    const names = [undefined, 'one', 'two', 'three'];
    const alone: string[] = [];
    for (const adapter of names) alone.push((await ask({ adapter })).text);
    expect(new Set(alone).size).toBe(4);
    const together = await Promise.all(names.map((adapter) => ask({ adapter })));
    expect(together.map(({ text }) => text)).toEqual(alone);
    expect(engine.adapters()).toEqual(['one', 'two', 'three']);
  });

  it('are held in memory as many as allowed, the rest made again when asked for', async () => {
    await start({ adapters, residentAdapters: 1 });
    const names = ['one', 'two', 'three', 'one'];
    const before = engine.status().memoryBytes ?? 0;
    const texts: string[] = [];
    for (const adapter of names) texts.push((await ask({ adapter })).text);
    expect(texts[0]).toBe(texts[3]);
    expect(new Set(texts).size).toBe(3);
    const held = (engine.status().memoryBytes ?? 0) - before;
    await Promise.all(names.map((adapter) => ask({ adapter })));
    expect((engine.status().memoryBytes ?? 0) - before).toBe(held);
  });

  it('are dropped where memory is short, and refused where nothing is left to drop', async () => {
    let free = 2 ** 40;
    await start({ adapters, availableMemory: () => free });
    await ask({ adapter: 'one' });
    await ask({ adapter: 'two' });
    const two = engine.status().memoryBytes ?? 0;
    free = 2 ** 20 + 2 ** 25;
    const base = await ask();
    expect((await ask({ adapter: 'three' })).text).not.toBe(base.text);
    expect(engine.status().memoryBytes).toBeLessThan(two);
    free = 1000;
    await expect(ask({ adapter: 'one' })).rejects.toMatchObject({ status: 503, retryAfter: 5 });
    expect((await ask()).text).toBe(base.text);
  });

  it('that are waited for by several are made once, whoever leaves', async () => {
    await start({ adapters });
    const abort = new AbortController();
    const leaving = ask({ adapter: 'one' }, abort.signal);
    const staying = ask({ adapter: 'one' });
    await setImmediate();
    expect(engine.status()).toMatchObject({ running: 0, waiting: 2 });
    abort.abort(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    expect((await staying).usage.completionTokens).toBe(8);
  });

  it('come and go while the model serves; a new file of the same name is read anew', async () => {
    await start();
    const path = file('changing.gguf');
    writeTinyAdapter(path, { seed: 10 });
    await engine.loadAdapter('mine', path);
    const first = await ask({ adapter: 'mine' });
    const running = ask({ adapter: 'mine', maxTokens: 200, ignoreEos: true });
    await setImmediate();
    expect(engine.status().running).toBe(1);
    const unloaded = engine.unloadAdapter('mine');
    await expect(ask({ adapter: 'mine' })).rejects.toMatchObject({ status: 404 });
    writeTinyAdapter(path, { seed: 11 });
    await engine.loadAdapter('mine', path);
    // Asked for while the old one is still in use: it waits, and is not given the old weights.
    expect((await ask({ adapter: 'mine' })).text).not.toBe(first.text);
    expect((await running).usage.completionTokens).toBe(200);
    await unloaded;
  });

  it('are rejected with a reason if they do not fit', async () => {
    await start({ adapters: { one: adapters.one } });
    await expect(engine.loadAdapter('x', file('narrow.gguf'))).rejects.toThrow(
      /another base model: 'blk.0.attn_output.weight' has 64 inputs in the model and 32 in the adapter/,
    );
    await expect(engine.loadAdapter('x', file('other.gguf'))).rejects.toThrow(
      /architecture 'qwen2', but the model is 'llama'/,
    );
    await expect(engine.loadAdapter('x', modelPath)).rejects.toThrow(/not a LoRA adapter/);
    await expect(engine.loadAdapter('x', file('nowhere.gguf'))).rejects.toThrow(
      /missing or is not a readable/,
    );
    await expect(engine.loadAdapter('one', adapters.two)).rejects.toMatchObject({ status: 409 });
    await expect(engine.unloadAdapter('x')).rejects.toMatchObject({ status: 404 });
    for (let number = 2; number <= 40; number++) await engine.loadAdapter(`a${number}`, adapters.two);
    await expect(engine.loadAdapter('a41', adapters.two)).rejects.toThrow(
      /40 adapters, which is the maximum/,
    );
  });
});

describe('tools', () => {
  const tool = (name: string, properties: Record<string, unknown>) => ({
    type: 'function' as const,
    function: { name, parameters: { type: 'object', properties, required: Object.keys(properties) } },
  });
  const tools = [tool('move', { to: { enum: ['Rome', 'Oslo'] } }), tool('halt', {})];
  const chat = (toolChoice: 'auto' | 'none' | 'required' | { name: string }, seed = 7) =>
    ask({
      prompt: { kind: 'chat', messages: [{ role: 'user', content: 'go' }], tools, toolChoice },
      maxTokens: 300,
      sampling: { temperature: 1, seed },
    });

  it.each([
    ['a template that knows none', undefined],
    ['Hermes', '{% for m in messages %}{{ m.content }}{% endfor %}{# tools <tool_call> #}'],
    ['Mistral', '{% for m in messages %}{{ m.content }}{% endfor %}{# tools [TOOL_CALLS] #}'],
    ['Llama 3', '{% for m in messages %}{{ m.content }}{% endfor %}{# tools "parameters" #}'],
  ])('are called when that is demanded, with %s', async (_title, chatTemplate) => {
    const path = file('with-tools.gguf');
    writeTinyModel(path, { contextLength: 2048, chatTemplate });
    await start({ modelPath: path, contextLength: 2048 });
    const named = await chat({ name: 'move' });
    expect(named).toMatchObject({ text: '', reason: 'tool_calls' });
    for (const call of named.calls) {
      expect(call.name).toBe('move');
      expect(['Rome', 'Oslo']).toContain(JSON.parse(call.arguments).to);
    }
    expect(named.calls.length).toBe(1);
    const required = await chat('required');
    expect(required.calls.length).toBeGreaterThan(0);
    for (const call of required.calls) expect(['move', 'halt']).toContain(call.name);
    expect((await chat('none')).calls).toEqual([]);
    await expect(chat({ name: 'fly' })).rejects.toThrow(/'fly', which is not one of the tools/);
  });

  it('are called, or not, as the model likes, but never by half', async () => {
    await start({ contextLength: 2048 });
    for (const seed of [1, 2, 3]) {
      const { calls, reason, text } = await chat('auto', seed);
      if (calls.length === 0) expect(text).not.toBe('');
      else expect(reason).toBe('tool_calls');
    }
  });
});

describe('a choice of tools', () => {
  const tool = (name: string) => ({
    type: 'function' as const,
    function: { name, parameters: { type: 'object', additionalProperties: false } },
  });
  const tools = ['look', 'move', 'halt'].map(tool);
  const hermes = '{% for m in messages %}{{ m.content }}{% endfor %}{# tools <tool_call> #}';
  const withTools = async (chatTemplate?: string) => {
    const path = file('choosing.gguf');
    writeTinyModel(path, { contextLength: 2048, chatTemplate });
    await start({ modelPath: path, contextLength: 2048 });
  };
  const chat = (seed: number, prompt: object, maxTokens = 400) =>
    ask({
      prompt: { kind: 'chat', messages: [{ role: 'user', content: 'go' }], tools, ...prompt },
      maxTokens,
      sampling: { temperature: 1, seed },
    });

  it.each([undefined, hermes])('may allow a part of them: template %s', async (chatTemplate) => {
    await withTools(chatTemplate);
    const names = new Set<string>();
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const required = await chat(seed, { toolChoice: { mode: 'required', allowed: ['look', 'halt'] } });
      expect(required.calls.length).toBeGreaterThan(0);
      for (const { name } of required.calls) names.add(name);
      const { calls } = await chat(seed, { toolChoice: { mode: 'auto', allowed: ['look'] } });
      for (const { name } of calls) expect(name).toBe('look');
    }
    expect(names).not.toContain('move');
    await expect(chat(1, { toolChoice: { mode: 'auto', allowed: ['fly'] } })).rejects.toThrow(/'fly'/);
  });

  it('calls one at a time where parallel calls are not wanted', async () => {
    await withTools(hermes);
    const together: number[] = [];
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      together.push((await chat(seed, { toolChoice: 'required' })).calls.length);
      const { calls, reason } = await chat(seed, { toolChoice: 'required', parallelToolCalls: false });
      expect(calls.length).toBe(1);
      expect(reason).toBe('tool_calls');
    }
    expect(Math.max(...together)).toBeGreaterThan(1);
  });

  it('leaves no partial call in the text of a truncated answer', async () => {
    await withTools(hermes);
    for (const maxTokens of [1, 5, 11, 13, 20, 25, 30, 40]) {
      const { text, reason, calls } = await chat(1, { toolChoice: 'required' }, maxTokens);
      expect(text).toBe('');
      if (calls.length === 0) expect(reason).toBe('length');
    }
  });
});

describe('a request', () => {
  it('is refused where it biases tokens that the model does not have', async () => {
    await start();
    await expect(ask({ sampling: { logitBias: { 5: 1, 260: 1 } } })).rejects.toThrow(
      /logit_bias contains 260/,
    );
  });
});

describe('a long prompt', () => {
  const chat = (content: string, count = 1) =>
    engine.tokenize({
      kind: 'chat',
      messages: Array.from({ length: count }, () => ({ role: 'user', content })),
    });

  it.each(['1', 'a', '!', ' ', '\n', '😀'])(
    'of one character is counted, not fatal: %j',
    async (character) => {
      await start();
      const text = character.repeat(60_000);
      const tokens = await engine.tokenize({ kind: 'text', text });
      expect(engine.detokenize(tokens)).toBe(text);
    },
  );

  it('of many messages is prepared in a thread, and gives the same tokens', async () => {
    await start();
    const one = await chat('hello world');
    const many = await chat('hello world', 9_000);
    const opening = (await engine.tokenize({ kind: 'chat', messages: [], addGenerationPrompt: true })).length;
    expect(many.length).toBe((one.length - opening) * 9_000 + opening);
    expect(many.slice(0, one.length - opening)).toEqual(one.slice(0, one.length - opening));
  });

  it('is given up when its caller leaves', async () => {
    await start();
    const abort = new AbortController();
    const content = 'hello world '.repeat(20_000);
    const leaving = ask({ prompt: { kind: 'chat', messages: [{ role: 'user', content }] } }, abort.signal);
    abort.abort(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    await expect(
      ask({ prompt: { kind: 'chat', messages: [{ role: 'user', content }] } }),
    ).rejects.toMatchObject({
      code: 'context_length_exceeded',
    });
    expect((await ask()).usage.completionTokens).toBe(8);
  });
});

describe('a model file', () => {
  const failing = (path: string) =>
    startLlamaCpp({ modelPath: path, gpu: false, threads: 1, contextLength: 512 });

  it('that is missing is named', async () => {
    await expect(failing(file('none.gguf'))).rejects.toMatchObject({ failure: 'missing-file' });
  });

  it('that is something else is refused with its hash', async () => {
    writeFileSync(file('text.gguf'), 'not a model');
    await expect(failing(file('text.gguf'))).rejects.toMatchObject({
      failure: 'corrupt-file',
      message: expect.stringMatching(/not a GGUF model file \(11 bytes, sha256 [0-9a-f]{64}\)/),
    });
  });

  it('with an invalid header is rejected before the library reads it forever', async () => {
    for (const text of [
      'GGUF',
      'GGUF, but not for long, I am afraid',
      'GGUF\x03\0\0\0more tensors than bytes',
    ]) {
      writeFileSync(file('odd.gguf'), text);
      await expect(failing(file('odd.gguf'))).rejects.toMatchObject({ failure: 'corrupt-file' });
    }
  });

  it.each([0.5, 0.05, 0.001])(
    'of which only a part (%f) was downloaded is refused with its hash',
    async (share) => {
      const path = file('half.gguf');
      writeTinyModel(path);
      truncateSync(path, Math.floor(share * 400_000));
      await expect(failing(path)).rejects.toMatchObject({
        failure: 'corrupt-file',
        message: expect.stringMatching(/damaged or was not downloaded completely: .+ sha256 [0-9a-f]{64}/),
      });
    },
  );

  it('made for less context than is asked for is refused', async () => {
    await expect(startLlamaCpp({ modelPath, llama, contextLength: 8192 })).rejects.toMatchObject({
      failure: 'unsupported',
    });
  });

  it('that needs more memory than there is is refused as such', async () => {
    const path = file('long.gguf');
    writeTinyModel(path, { contextLength: 2 ** 31 - 1 });
    await expect(
      startLlamaCpp({ modelPath: path, contextLength: 2 ** 30, gpu: false }),
    ).rejects.toMatchObject({
      failure: 'out-of-memory',
    });
  });
});

describe('closing', () => {
  it('waits for a context that is being made', async () => {
    writeTinyAdapter(file('late.gguf'));
    await start({ adapters: { late: file('late.gguf') } });
    const ended = expect(ask({ adapter: 'late' })).rejects.toMatchObject({ status: 503 });
    await setImmediate();
    await engine.close();
    await ended;
  });

  it('ends what runs, and answers nothing more', async () => {
    await start();
    const running = ask({ maxTokens: 1000, ignoreEos: true });
    const ended = expect(running).rejects.toMatchObject({ status: 503 });
    await setImmediate();
    expect(engine.status().running).toBe(1);
    await engine.close();
    await ended;
    await expect(ask()).rejects.toMatchObject({ status: 503 });
    await engine.close();
  });
});
